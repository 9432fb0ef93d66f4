//! `/api`: the description of the API as a page, made once from the description itself. It loads nothing from elsewhere.

use std::fmt::Write as _;

use serde_json::Value;

/// The page's style.
pub(super) const STYLE: &str = "\
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
h1{font-size:1.6rem}h2{margin-top:2.5rem;font-size:1.2rem}code,pre{font-family:ui-monospace,monospace;font-size:.9em}\
details{border:1px solid color-mix(in srgb,currentColor 25%,transparent);border-radius:6px;margin:.4rem 0;padding:.4rem .7rem}\
summary{cursor:pointer}summary code{font-weight:600}table{border-collapse:collapse;margin:.5rem 0}\
td,th{text-align:left;vertical-align:top;padding:.15rem .9rem .15rem 0}.method{display:inline-block;min-width:4.2em}\
pre{overflow-x:auto}";

/// The page.
pub(super) fn page(description: &Value) -> String {
    let mut out = String::from(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>Buoyline API</title><link rel=\"stylesheet\" href=\"/api/style.css\">\
         </head><body><main><h1>Buoyline API</h1>",
    );
    let info = text(&description["info"]["description"]);
    let _ = write!(
        out,
        "<p>{info}</p><p>Version {}. For programs: <a href=\"/api/openapi.json\">openapi.json</a>. Log in with a session, or \
         send a token as <code>Authorization: Bearer …</code>; a session also sends <code>x-buoyline-csrf</code> where it \
         changes something. Errors are <code>application/problem+json</code>.</p>",
        text(&description["info"]["version"])
    );
    let mut tags: Vec<&str> = Vec::new();
    let operations = operations(description);
    for (_, _, operation) in &operations {
        let tag = operation["tags"][0].as_str().unwrap_or("other");
        if !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    for tag in tags {
        let _ = write!(out, "<h2>{}</h2>", escaped(tag));
        for (path, method, operation) in &operations {
            if operation["tags"][0].as_str().unwrap_or("other") == tag {
                one(&mut out, path, method, operation);
            }
        }
    }
    out.push_str("<h2>Schemas</h2>");
    for (name, schema) in description["components"]["schemas"].as_object().into_iter().flatten() {
        let name = escaped(name);
        let _ = write!(out, "<details id=\"{name}\"><summary><code>{name}</code> ");
        let _ = write!(out, "{}</summary>", text(&schema["description"]));
        properties(&mut out, schema);
        out.push_str("</details>");
    }
    out.push_str("</main></body></html>");
    out
}

fn operations(description: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = description["paths"].as_object().into_iter().flatten();
    let methods = paths.flat_map(|(path, methods)| methods.as_object().into_iter().flatten().map(move |m| (path, m)));
    methods.map(|(path, (method, operation))| (path.as_str(), method.as_str(), operation)).collect()
}

fn one(out: &mut String, path: &str, method: &str, operation: &Value) {
    let (method, path) = (escaped(&method.to_uppercase()), escaped(path));
    let summary = text(&operation["summary"]);
    let _ =
        write!(out, "<details><summary><code><span class=\"method\">{method}</span> {path}</code> {summary}</summary>");
    let _ = write!(out, "<p>{}</p>", text(&operation["description"]));
    let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
    if !parameters.is_empty() {
        out.push_str("<table><tr><th>Parameter<th>In<th>Type<th></tr>");
        for parameter in parameters {
            let _ = write!(
                out,
                "<tr><td><code>{}</code><td>{}<td>{}<td>{}</tr>",
                text(&parameter["name"]),
                text(&parameter["in"]),
                kind(&parameter["schema"]),
                text(&parameter["description"])
            );
        }
        out.push_str("</table>");
    }
    for (media, body) in operation["requestBody"]["content"].as_object().into_iter().flatten() {
        let _ = write!(out, "<p>Body: <code>{}</code> {}</p>", escaped(media), kind(&body["schema"]));
    }
    out.push_str("<table><tr><th>Status<th>Answer<th></tr>");
    for (status, response) in operation["responses"].as_object().into_iter().flatten() {
        let contents = response["content"].as_object().into_iter().flatten();
        let answers: Vec<String> = contents
            .map(|(media, body)| format!("<code>{}</code> {}", escaped(media), kind(&body["schema"])))
            .collect();
        let _ = write!(
            out,
            "<tr><td>{}<td>{}<td>{}</tr>",
            escaped(status),
            answers.join("<br>"),
            text(&response["description"])
        );
    }
    out.push_str("</table></details>");
}

fn properties(out: &mut String, schema: &Value) {
    let required = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|key| key == name));
    out.push_str("<table>");
    for (name, of) in schema["properties"].as_object().into_iter().flatten() {
        let always = if required(name) { "" } else { " (may be missing)" };
        let (name, kind, words) = (escaped(name), kind(of), text(&of["description"]));
        let _ = write!(out, "<tr><td><code>{name}</code>{always}<td>{kind}<td>{words}</tr>");
    }
    out.push_str("</table>");
}

/// What type a schema says, in a word or a link.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|to| to.rsplit('/').next()) {
        let name = escaped(name);
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        return choices.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match &schema["type"] {
        Value::String(one) if one == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(one) => escaped(one),
        Value::Array(several) => several.iter().filter_map(Value::as_str).map(escaped).collect::<Vec<_>>().join(" or "),
        _ => "anything".to_owned(),
    }
}

fn text(value: &Value) -> String {
    escaped(value.as_str().unwrap_or_default())
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
