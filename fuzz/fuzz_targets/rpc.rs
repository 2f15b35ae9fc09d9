//! The gateway's JSON-RPC: any frame is read, what is wrong with it is reported as a response, and a call is what was sent.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pilothouse_gateway::rpc::{Call, Incoming, read, success, too_long};
use serde_json::Value;

fn is_error(response: &str) {
    let response: Value = serde_json::from_str(response).expect("a response is JSON");
    assert_eq!(response["jsonrpc"], "2.0");
    assert!(response["error"]["code"].is_i64() && response["error"]["message"].is_string(), "{response}");
}

fn check(read: &Result<Call, String>, message: Option<&Value>) {
    let call = match read {
        Ok(call) => call,
        Err(response) => return is_error(response),
    };
    if let Some(message) = message {
        assert_eq!(message["method"], call.method.as_str());
        assert_eq!(message.get("id"), call.id.as_ref());
        assert_eq!(message["params"], call.params);
    }
    if let Some(raw) = &call.raw {
        assert_eq!(serde_json::from_str::<Value>(raw).ok().as_ref(), Some(&call.params));
    }
    // A fraction, or more digits than an integer has, may change in the last bit when it is written and read.
    if let Some(id) = call.id.as_ref().filter(|id| !id.is_f64()) {
        let response: Value = serde_json::from_str(&success(id, "{}")).expect("a response is JSON");
        assert_eq!(response["id"], *id);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let whole = serde_json::from_slice::<Value>(bytes).ok();
    match read(bytes) {
        Incoming::One(one) => check(&one, whole.as_ref()),
        Incoming::Many(all) => {
            assert!(!all.is_empty());
            for (at, one) in all.iter().enumerate() {
                check(one, whole.as_ref().map(|whole| &whole[at]));
            }
        }
        Incoming::Nothing => {}
    }
    is_error(&too_long(bytes, 1));
});
