//! A real model server (llama.cpp). Its protocol is real; its tiny model writes nonsense.

use roost_execution::providers::{Call, Delta, ErrorKind, Limits, Message, Model, Provider, Stop};
use roost_secret_broker::wire::{Secret, Store};
use roost_tests::model_server::RealModels;
use serde_json::json;

use super::{Desk, KEY, question};

#[tokio::test]
async fn a_real_server_is_understood_also_after_tools_and_refusals() {
    let desk = Desk::start().await;
    let server = RealModels::start(KEY);
    let limits = Limits {
        bytes: 1 << 20,
        ..Limits::default()
    };
    let model = desk.model(Provider::Openai, server.address, limits).await;

    let mut asked = question();
    asked.tools.clear();
    let mut heard = String::new();
    let reply = model
        .turn(&asked, &mut |delta| {
            if let Delta::Say(piece) = delta {
                heard.push_str(&piece);
            }
        })
        .await
        .expect("an answer");
    assert_eq!(reply.text, heard);
    assert!(!reply.text.is_empty());
    assert!(reply.usage.input > 0);
    assert!((1..=20).contains(&reply.usage.output), "{:?}", reply.usage);
    assert!(matches!(reply.stop, Stop::Length | Stop::End), "{reply:?}");
    let cost = reply.usage.input + 2 * reply.usage.output;
    assert_eq!(reply.cost_microusd, Some(cost));

    // A conversation that had a tool call, one of them half written.
    let call = |id: &str, malformed: Option<&str>| Call {
        id: id.to_owned(),
        name: "shell".to_owned(),
        arguments: json!({}),
        malformed: malformed.map(str::to_owned),
        opaque: None,
    };
    let answered = |id: &str| Message::Tool {
        call: id.to_owned(),
        name: "shell".to_owned(),
        text: "nothing".to_owned(),
        is_error: false,
    };
    let mut longer = question();
    longer.messages.push(Message::Assistant {
        text: String::new(),
        calls: vec![call("c1", None), call("c2", Some("{\"argv\": ["))],
    });
    longer.messages.extend([answered("c1"), answered("c2")]);
    longer.messages.push(Message::User("Go on.".to_owned()));
    let mut reply = model.turn(&longer, &mut |_| {}).await;
    // The server may have closed the connection that waited for this; agents ask again then, and so does this test, once.
    if matches!(&reply, Err(error) if error.kind == ErrorKind::Retryable) {
        reply = model.turn(&longer, &mut |_| {}).await;
    }
    assert!(reply.expect("an answer").usage.output > 0);

    // More than it can hold.
    let mut long = question();
    long.messages = vec![Message::User("long ".repeat(20_000))];
    let error = model.turn(&long, &mut |_| {}).await.expect_err("too long");
    assert_eq!(error.kind, ErrorKind::TooBig, "{error}");

    // Another key than it wants.
    let wrong = desk.handle.store(Store {
        name: model.record.clone(),
        secret: Secret::from("sk-another-key"),
        inject: model.provider.inject(),
        allow: model.provider.allow(&model.base),
    });
    wrong.await.expect("the broker takes it");
    let error = model
        .turn(&question(), &mut |_| {})
        .await
        .expect_err("refused");
    assert_eq!(error.kind, ErrorKind::NeedsAuth, "{error}");
}
