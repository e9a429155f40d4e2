// What a page loads when it draws a chart of sums: one chunk for all of them.
export { Bars } from "./bars";
export { Columns, Spark } from "./days";
