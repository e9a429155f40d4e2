(function(){var d=document.documentElement.dataset;try{var t=localStorage.getItem("roost-theme");if(JSON.parse(localStorage.getItem("roost-preferences")||"{}").density==="compact")d.density="compact"}catch(e){}
if(t!=="light"&&t!=="dark")t=matchMedia("(prefers-color-scheme: light)").matches?"light":"dark";
d.theme=t})();
