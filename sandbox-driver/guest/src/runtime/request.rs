//! One HTTP request to the runtime's server on the sandbox's loopback.

use std::io::{self, Read, Write};
use std::time::Duration;

use roost_protocol::guest::runtime::{Asked, Reply};
use ureq::http::Request;
use ureq::{Agent, Error};

use super::{read, screen};

/// Sends the request of stdin with the bearer of the pairing, and writes the answer. The bearer and the code are masked in it.
pub fn request(port: &str) -> io::Result<()> {
    let port: u16 = port.parse().map_err(io::Error::other)?;
    let mut asked = String::new();
    io::stdin().lock().read_to_string(&mut asked)?;
    let mut asked: Asked = serde_json::from_str(&asked)?;
    let token = read("token")?;
    if let Some(token) = &token {
        let bearer = format!("Bearer {token}");
        asked.headers.insert("Authorization".to_owned(), bearer);
    }
    let secrets: Vec<String> = token.into_iter().chain(read("code")?).collect();
    let reply = match send(port, asked) {
        Reply::Answered { status, body } => Reply::Answered {
            status,
            body: screen::masked(&body, &secrets),
        },
        Reply::NotTaken(why) => Reply::NotTaken(screen::masked(&why, &secrets)),
        Reply::Broken(why) => Reply::Broken(screen::masked(&why, &secrets)),
        Reply::TooLong => Reply::TooLong,
    };
    let text = serde_json::to_string(&reply)?;
    writeln!(io::stdout().lock(), "{text}")
}

/// Sends a request, follows no redirect, and reads at most the wanted bytes.
pub(super) fn send(port: u16, asked: Asked) -> Reply {
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .timeout_global(Some(Duration::from_secs(asked.timeout_s)))
        .build()
        .into();
    let mut request = Request::builder()
        .method(asked.method.as_str())
        .uri(format!("http://127.0.0.1:{port}{}", asked.path));
    for (name, value) in &asked.headers {
        request = request.header(name, value);
    }
    let request = match request.body(asked.body) {
        Ok(request) => request,
        Err(error) => return Reply::NotTaken(error.to_string()),
    };
    let mut response = match agent.run(request) {
        Ok(response) => response,
        Err(Error::Io(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
            return Reply::NotTaken(error.to_string());
        }
        Err(Error::ConnectionFailed) => return Reply::NotTaken("connection failed".to_owned()),
        Err(error) => return Reply::Broken(error.to_string()),
    };
    let status = response.status().as_u16();
    let mut body = Vec::new();
    let reader = response.body_mut().as_reader();
    match reader.take(asked.most + 1).read_to_end(&mut body) {
        Ok(_) if body.len() as u64 > asked.most => Reply::TooLong,
        Ok(_) => Reply::Answered {
            status,
            body: String::from_utf8_lossy(&body).into_owned(),
        },
        Err(error) => Reply::Broken(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::net::TcpListener;

    use super::*;

    fn asked(most: u64) -> Asked {
        Asked {
            method: "POST".to_owned(),
            path: "/a".to_owned(),
            headers: BTreeMap::from([("X-One".to_owned(), "1".to_owned())]),
            body: "hello".to_owned(),
            timeout_s: 5,
            most,
        }
    }

    /// A server that gives one answer, and returns what it was sent.
    fn server(answer: String) -> (u16, std::thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut got = Vec::new();
            let mut piece = [0; 1024];
            while !String::from_utf8_lossy(&got).contains("hello") {
                let n = stream.read(&mut piece).unwrap();
                got.extend_from_slice(&piece[..n]);
            }
            // The reader may stop early.
            let _ = stream.write_all(answer.as_bytes());
            String::from_utf8_lossy(&got).into_owned()
        });
        (port, thread)
    }

    #[test]
    fn answer_comes_with_its_status_and_a_long_one_is_refused() {
        let answer = |body: &str| {
            let length = body.len();
            format!("HTTP/1.1 403 Forbidden\r\nContent-Length: {length}\r\n\r\n{body}")
        };
        let (port, thread) = server(answer("no"));
        let reply = send(port, asked(10));
        let body = "no".to_owned();
        assert_eq!(reply, Reply::Answered { status: 403, body });
        let got = thread.join().unwrap();
        assert!(got.starts_with("POST /a HTTP/1.1\r\n"), "{got}");
        assert!(got.to_lowercase().contains("x-one: 1"), "{got}");
        let (port, _) = server(answer(&"x".repeat(100_000)));
        assert_eq!(send(port, asked(99_999)), Reply::TooLong);
    }

    #[test]
    fn request_is_not_taken_when_nothing_listens() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        assert!(matches!(send(port, asked(10)), Reply::NotTaken(_)));
    }
}
