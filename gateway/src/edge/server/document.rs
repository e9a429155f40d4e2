//! What is the same for every operation in the OpenAPI document, and so is not repeated at each of them: the media type
//! of problems, and the statuses of the layers around the routes.

use roost_execution::runs::OriginWord;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{Content, OpenApi, Ref, RefOr, Response, Schema};
use utoipa::{PartialSchema, ToSchema};

const PROBLEM: &str = "#/components/schemas/Problem";
const PROBLEM_JSON: &str = "application/problem+json";

/// Completes the document.
pub(super) fn complete(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    // The library collects no schema that only a parameter names.
    let name = OriginWord::name().into_owned();
    components.schemas.insert(name, OriginWord::schema());
    for (name, _, description) in LAYERS {
        let answer = RefOr::T(problem(description));
        components.responses.insert(name.to_owned(), answer);
    }
    for item in document.paths.paths.values_mut() {
        let operations = [
            &mut item.get,
            &mut item.put,
            &mut item.post,
            &mut item.delete,
            &mut item.patch,
        ];
        for operation in operations.into_iter().flatten() {
            of_layers(operation);
            for response in operation.responses.responses.values_mut() {
                if let RefOr::T(response) = response {
                    name_problems(response);
                }
            }
        }
    }
}

/// A response that does not depend on the route: the name of its component, its status, its description.
type Layer = (&'static str, &'static str, &'static str);

const ADDRESS_TOO_LONG: Layer = ("AddressTooLong", "414", "The address is too long");
const BODY_TOO_LARGE: Layer = ("BodyTooLarge", "413", "The body is too large");
const MEDIA_TYPE: Layer = (
    "UnsupportedMediaType",
    "415",
    "The body's media type is not taken here",
);
const KEY_IN_USE: Layer = (
    "IdempotencyKeyInUse",
    "409",
    "The idempotency key was used for another request",
);
const ANY_OTHER: Layer = ("AnyOtherProblem", "default", "Any other problem");

const LAYERS: [Layer; 5] = [
    ADDRESS_TOO_LONG,
    BODY_TOO_LARGE,
    MEDIA_TYPE,
    KEY_IN_USE,
    ANY_OTHER,
];

/// Adds the statuses that do not depend on the route.
fn of_layers(operation: &mut Operation) {
    let mut all = vec![ADDRESS_TOO_LONG, ANY_OTHER];
    if operation.request_body.is_some() {
        all.extend([BODY_TOO_LARGE, MEDIA_TYPE]);
    }
    if takes_idempotency_key(operation) {
        all.push(KEY_IN_USE);
    }
    for (name, status, _) in all {
        let answer = Ref::new(format!("#/components/responses/{name}"));
        let present = &mut operation.responses.responses;
        present
            .entry(status.to_owned())
            .or_insert(RefOr::Ref(answer));
    }
}

fn takes_idempotency_key(operation: &Operation) -> bool {
    let parameters = operation.parameters.iter().flatten();
    parameters.into_iter().any(|parameter| match parameter {
        RefOr::T(parameter) => {
            matches!(parameter.parameter_in, ParameterIn::Header)
                && parameter.name == "Idempotency-Key"
        }
        RefOr::Ref(_) => false,
    })
}

fn problem(description: &str) -> Response {
    let mut response = Response::new(description);
    let content = Content::new(Some(RefOr::<Schema>::Ref(Ref::new(PROBLEM))));
    response
        .content
        .insert(PROBLEM_JSON.to_owned(), RefOr::T(content));
    response
}

/// The macro of the routes writes `application/json` for every schema.
fn name_problems(response: &mut Response) {
    let is_problem = |content: &RefOr<Content>| match content {
        RefOr::T(content) => {
            matches!(&content.schema, Some(RefOr::Ref(schema)) if schema.ref_location == PROBLEM)
        }
        RefOr::Ref(_) => false,
    };
    let json = "application/json";
    if response.content.get(json).is_some_and(is_problem)
        && let Some(content) = response.content.shift_remove(json)
    {
        response.content.insert(PROBLEM_JSON.to_owned(), content);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    #[test]
    fn problems_have_their_media_type_and_each_layers_status_is_documented() {
        let text = crate::edge::server::router::openapi_json();
        let document: Value = serde_json::from_str(&text).unwrap();
        let mut operations = 0;
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                operations += 1;
                let what = format!("{method} {path}");
                let responses = operation["responses"].as_object().unwrap();
                for (status, response) in responses {
                    let json = &response["content"]["application/json"]["schema"]["$ref"];
                    assert_ne!(json, super::PROBLEM, "{what} {status}");
                }
                assert!(responses.contains_key("414"), "{what}");
                let body = operation.get("requestBody").is_some();
                assert_eq!(responses.contains_key("415"), body, "{what}");
                let key = operation.to_string().contains("\"Idempotency-Key\"");
                assert!(!key || responses.contains_key("409"), "{what}");
            }
        }
        assert!(operations > 100, "{operations}");
    }
}
