use super::{each_in, each_run};

fn in_address(address: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_in(address, &mut |value, _| found.push(value.to_owned()));
    found
}

/// A made-up value of so many letters and digits, without a word in it.
fn random(length: usize) -> String {
    "q7Zt3VbX9kLm2RwY5cHs8NdJ4fPg6T".chars().cycle().take(length).collect()
}

#[track_caller]
fn is_found(value: &str, address: &str) {
    assert!(in_address(address).iter().any(|found| found == value), "{address}");
}

#[test]
fn keys_of_known_shapes_are_found_wherever_they_stand() {
    let jwt = format!("eyJ{}.eyJ{}.{}", random(20), random(40), random(43));
    for value in [
        "AKIAQ7ZT3VBX2KLM2RWY".to_owned(),
        format!("ghp_{}", random(36)),
        format!("glpat-{}", random(20)),
        format!("xoxb-123456789012-{}", random(24)),
        format!("sk-proj-{}", random(60)),
        format!("AIza{}", random(35)),
        format!("npm_{}", random(36)),
        format!("sk_live_{}", random(24)),
        jwt,
    ] {
        is_found(&value, &format!("https://a.example/v/{value}/x"));
        is_found(&value, &format!("https://a.example/{value}"));
        is_found(&value, &format!("https://a.example/?note={value}"));
        is_found(&value, &format!("https://a.example?note=see,{value}."));
        is_found(&value, &format!("https://a.example/?{value}=1"));
    }
}

#[test]
fn a_value_is_found_behind_one_more_wrapping() {
    let value = format!("ghp_{}", random(36));
    let inner = format!("https%3A%2F%2Fb.example%2F%3Ftoken%3D{}", random(20));
    is_found(&random(20), &format!("https://a.example/go?to={inner}"));
    is_found(&random(20), &format!("https://a.example/go?to={}", inner.replace('%', "%25")));
    is_found(&random(20), &format!("https://a.example/?state=%7B%22api_key%22%3A%22{}%22%7D", random(20)));
    is_found(&value, &format!("https://a.example/?state=%7B%22note%22%3A%5B%22{value}%22%5D%7D"));
    let packed = data_encoding::BASE64URL_NOPAD.encode(format!("{{\"t\":\"{value}\"}}").as_bytes());
    is_found(&value, &format!("https://a.example/?state={packed}"));
    is_found(&value, &format!("https://a.example/s/{packed}"));
    is_found(&value, &format!("https://a.example/?x={}", value.replace('_', "%5f")));
}

#[test]
fn a_name_makes_a_random_value_a_credential() {
    let value = random(16);
    for name in ["token", "access_token", "API-Key", "sig", "x-amz-signature", "X-Goog-Signature", "api%5Fkey"] {
        is_found(&value, &format!("https://a.example/?page=2&{name}={value}"));
    }
    is_found("0f8fad5b-d9cb-469f-a165-70867728950e", "https://a.example/?token=0f8fad5b-d9cb-469f-a165-70867728950e");
    is_found("q7Zt3VbX9k+Lm2RwY5/cHs8N==", "https://a.example/?sig=q7Zt3VbX9k%2BLm2RwY5%2FcHs8N%3D%3D");
    is_found("q7Zt3VbX9k+Lm2RwY5/cHs8N", "https://a.example/?sig=q7Zt3VbX9k+Lm2RwY5/cHs8N");
}

#[test]
fn ordinary_addresses_hold_none() {
    for address in [
        "https://git.vendor.example/pump/commit/3f1c9e0b7a5d4c2e8f6a1b0d9c8e7f6a5b4c3d2e",
        "https://a.example/?id=3f1c9e0b7a5d4c2e8f6a1b0d9c8e7f6a5b4c3d2e",
        "https://a.example/?token=next-page-of-results",
        "https://a.example/?key=harbour-fees-and-tolls",
        "https://a.example/?code=1234567890123456",
        "https://a.example/?token=aaaaaaaaaaaaaaaaa1",
        "https://a.example/?token=short1",
        "https://a.example/eyes/keys/skiing-in-2024",
        "https://a.example/sk-learn/patterns/xoxb",
        "https://a.example/AKIA/akiaq7zt3vbx9klm2rwy",
        "https://ghp_q7Zt3VbX9kLm2RwY5cHs8NdJ4fPg6Tq7Zt3V.a.example/",
        "https://a.example",
    ] {
        assert_eq!(in_address(address), [""; 0], "{address}");
    }
}

#[test]
fn the_names_are_in_order() {
    assert!(super::NAMES.is_sorted());
}

#[test]
fn a_private_key_is_found() {
    let found = in_address("https://a.example/?k=-----BEGIN+RSA+PRIVATE+KEY-----MIIEow");
    assert_eq!(found, ["-----BEGIN+RSA+PRIVATE+KEY-----MIIEow"]);
}

#[test]
fn runs_tell_values_apart() {
    let mut runs = Vec::new();
    each_run("Use _q7Zt3VbX9k_, \"--token=Lm2RwY5cHs8N\" or short", &mut |run| runs.push(run.to_owned()));
    assert_eq!(runs, ["q7Zt3VbX9k", "Lm2RwY5cHs8N"]);
}
