//! Pure rules of mesh networks: how the two APIs describe a device, when it is online, which machine it is, and the
//! meaning of an error.

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};
use roost_protocol::text::clean;
use roost_secret_broker::wire::{Allow, FaultCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;
use utoipa::ToSchema;

/// A device without a connection state is online if it was seen within this time.
const SEEN_WITHIN: TimeDelta = TimeDelta::minutes(5);
/// The most devices that are read.
const MOST_DEVICES: usize = 5_000;

/// The kind of API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MeshKind {
    Tailscale,
    Headscale,
}

impl MeshKind {
    /// The word in the database and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tailscale => "tailscale",
            Self::Headscale => "headscale",
        }
    }

    /// The name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tailscale => "Tailscale",
            Self::Headscale => "Headscale",
        }
    }

    /// Parses a word that [`as_str`](Self::as_str) wrote.
    pub fn from_stored(text: &str) -> Option<Self> {
        [Self::Tailscale, Self::Headscale]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }

    /// The API of this kind.
    pub fn api(self) -> &'static dyn MeshApi {
        match self {
            Self::Tailscale => &Tailscale,
            Self::Headscale => &Headscale,
        }
    }
}

/// A device of a mesh network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    pub id: String,
    pub name: String,
    pub os: Option<String>,
    pub addresses: Vec<IpAddr>,
    /// Whether it is connected, if the API reports it.
    pub connected: Option<bool>,
    pub last_seen: Option<DateTime<Utc>>,
}

impl Device {
    /// Whether it is online: by the API's state, else by the time when it was seen.
    pub fn is_online(&self, now: DateTime<Utc>) -> bool {
        let seen = self.last_seen.is_some_and(|at| now - at <= SEEN_WITHIN);
        self.connected.unwrap_or(seen)
    }

    /// Whether a machine with this address is this device.
    pub fn has(&self, mesh_ip: &str) -> bool {
        let parsed = mesh_ip.parse::<IpAddr>();
        parsed.is_ok_and(|address| self.addresses.contains(&address))
    }
}

/// An API that lists devices.
pub trait MeshApi: Send + Sync {
    /// The default address; `None` when the request must name it.
    fn home(&self) -> Option<&'static str>;
    /// The address of the device list.
    fn list(&self, base: &Url, tailnet: Option<&str>) -> Url;
    /// The field of the answer that contains the devices.
    fn field(&self) -> &'static str;
    /// The device of an entry; `None` when the entry is invalid.
    fn read(&self, entry: &Value) -> Option<Device>;
}

struct Tailscale;
struct Headscale;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TailscaleDevice {
    id: Option<String>,
    node_id: Option<String>,
    name: Option<String>,
    hostname: Option<String>,
    os: Option<String>,
    #[serde(default)]
    addresses: Vec<String>,
    connected_to_control: Option<bool>,
    last_seen: Option<String>,
}

impl MeshApi for Tailscale {
    fn home(&self) -> Option<&'static str> {
        Some("https://api.tailscale.com/")
    }

    fn list(&self, base: &Url, tailnet: Option<&str>) -> Url {
        // `-` means the network of the key itself.
        below(
            base,
            &["api", "v2", "tailnet", tailnet.unwrap_or("-"), "devices"],
        )
    }

    fn field(&self) -> &'static str {
        "devices"
    }

    fn read(&self, entry: &Value) -> Option<Device> {
        let fields = TailscaleDevice::deserialize(entry).ok()?;
        let id = fields.node_id.or(fields.id)?;
        device(
            &id,
            [fields.hostname, fields.name],
            fields.os,
            &fields.addresses,
            fields.connected_to_control,
            fields.last_seen,
        )
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeadscaleNode {
    id: String,
    name: Option<String>,
    given_name: Option<String>,
    #[serde(default)]
    ip_addresses: Vec<String>,
    online: Option<bool>,
    last_seen: Option<String>,
}

impl MeshApi for Headscale {
    fn home(&self) -> Option<&'static str> {
        None
    }

    fn list(&self, base: &Url, _: Option<&str>) -> Url {
        below(base, &["api", "v1", "node"])
    }

    fn field(&self) -> &'static str {
        "nodes"
    }

    fn read(&self, entry: &Value) -> Option<Device> {
        let fields = HeadscaleNode::deserialize(entry).ok()?;
        device(
            &fields.id,
            [fields.given_name, fields.name],
            None,
            &fields.ip_addresses,
            fields.online,
            fields.last_seen,
        )
    }
}

fn device(
    id: &str,
    names: [Option<String>; 2],
    os: Option<String>,
    addresses: &[String],
    connected: Option<bool>,
    last_seen: Option<String>,
) -> Option<Device> {
    let word = |text: &str| Some(clean(text, 255)).filter(|text| !text.trim().is_empty());
    let seen = last_seen.and_then(|text| DateTime::parse_from_rfc3339(&text).ok());
    let id = word(id)?;
    Some(Device {
        name: names
            .iter()
            .flatten()
            .find_map(|name| word(name))
            .unwrap_or_else(|| id.clone()),
        id,
        os: os.as_deref().and_then(word),
        addresses: addresses
            .iter()
            .take(16)
            .filter_map(|text| text.parse().ok())
            .collect(),
        connected,
        // Headscale writes the year 1 for never.
        last_seen: seen
            .map(|at| at.with_timezone(&Utc))
            .filter(|at| at.timestamp() > 0),
    })
}

fn below(base: &Url, segments: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments);
    }
    url
}

/// The address of the API in its stored form.
///
/// # Errors
/// Why the address is invalid.
pub fn base_url(kind: MeshKind, given: Option<&str>) -> Result<Url, String> {
    let home = kind.api().home();
    let Some(text) = given.or(home) else {
        return Err(
            "is missing: say where your Headscale is, as https://mesh.example.com".to_owned(),
        );
    };
    let mut url = Url::parse(text.trim())
        .map_err(|_| "must be an address such as https://mesh.example.com".to_owned())?;
    if !matches!(url.scheme(), "https" | "http") || !url.has_host() {
        return Err("must begin with https:// and name a host".to_owned());
    }
    if !url.username().is_empty()
        || url.password().is_some()
        || url.query().is_some()
        || url.fragment().is_some()
    {
        return Err(
            "must have no user, no query and no #; the key has a field of its own".to_owned(),
        );
    }
    let trimmed = url.path().trim_end_matches('/').to_owned();
    url.set_path(&trimmed);
    Ok(url)
}

/// Whether it can be the name of a tailnet: `example.com`, `ada@example.com`, `ada.github`.
pub fn is_tailnet(text: &str) -> bool {
    let fine = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.@+".contains(&byte);
    text.len() <= 255
        && text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric())
        && !text.contains("..")
        && text.bytes().all(fine)
}

/// Where the key may be used: only to read the device list.
pub fn allow(list: &Url) -> Vec<Allow> {
    vec![Allow {
        origin: list.origin().ascii_serialization(),
        methods: vec!["GET".to_owned()],
        path_prefix: list.path().to_owned(),
    }]
}

/// Parses an answer; `None` when it is not a list of devices.
pub fn read(kind: MeshKind, body: &[u8]) -> Option<Vec<Device>> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let entries = body.get(kind.api().field())?.as_array()?;
    let entries = entries.iter().take(MOST_DEVICES);
    Some(entries.filter_map(|entry| kind.api().read(entry)).collect())
}

/// Why the devices could not be read, in words for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Refusal {
    /// Whether a person has to change the setting; otherwise a later attempt may succeed.
    pub lasting: bool,
    pub detail: String,
    /// Seconds until a retry makes sense.
    pub retry_after: Option<u64>,
}

impl Refusal {
    fn new(lasting: bool, detail: String) -> Self {
        Self {
            lasting,
            detail,
            retry_after: None,
        }
    }

    /// The meaning of a status code.
    pub fn of_status(kind: MeshKind, status: u16, retry_after: Option<u64>) -> Self {
        let name = kind.name();
        match status {
            401 => Self::new(
                true,
                format!(
                    "{name} does not take the API key (401): it is wrong, expired or revoked. Connect again with a new one."
                ),
            ),
            403 => Self::new(
                true,
                format!(
                    "{name} refuses (403): the API key may not list devices. Connect again with one that may read them."
                ),
            ),
            404 => Self::new(
                true,
                format!(
                    "{name} knows no such network, or the address is not its API (404). Connect again and check both."
                ),
            ),
            429 => Self {
                retry_after: Some(retry_after.unwrap_or(60).clamp(1, 3_600)),
                ..Self::new(
                    false,
                    format!("{name} was asked too often (429). Look again later."),
                )
            },
            300..=399 => Self::new(
                true,
                format!(
                    "{name} answers from elsewhere ({status}), and a key is not sent after it. Connect again with the new address."
                ),
            ),
            500..=599 => Self::new(
                false,
                format!("{name} failed ({status}). Look again later."),
            ),
            _ => Self::new(false, format!("{name} answered {status}.")),
        }
    }

    /// The meaning of a fault of the broker.
    pub fn of_fault(kind: MeshKind, code: Option<FaultCode>) -> Self {
        let name = kind.name();
        match code {
            Some(FaultCode::AddressRefused) => Self::new(true, format!("The address of {name} is private or this machine's own. If the deployment means it, its operator names the host in `outbound.allow_private`.")),
            Some(FaultCode::UnknownRecord | FaultCode::RecordDamaged | FaultCode::NotAllowed) => Self::new(true, "The secret broker has no key for this network any more. Connect again.".to_owned()),
            Some(FaultCode::RemoteTimeout) => Self::new(false, format!("{name} took too long. Look again later.")),
            Some(FaultCode::RemoteUnreachable | FaultCode::NotReached) => Self::new(false, format!("{name} cannot be reached. Look again later, and see that the address is right.")),
            Some(FaultCode::TooLarge | FaultCode::RemoteRefused) => Self::no_list(kind),
            _ => Self::new(false, "The secret broker could not ask. Its operator sees why in its log; look again later.".to_owned()),
        }
    }

    /// The answer was not a list of devices.
    pub fn no_list(kind: MeshKind) -> Self {
        let name = kind.name();
        Self::new(
            true,
            format!(
                "What answered sent no list of devices. See that the address is that of {name}."
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a moment")
    }

    #[test]
    fn tailscales_devices_are_read_with_and_without_what_is_newer() {
        let body = json!({ "devices": [
            { "id": "92960230385", "nodeId": "n292kg92CNTRL", "hostname": "pangolin", "name": "pangolin.tail.ts.net", "os": "linux",
              "addresses": ["100.87.74.78", "fd7a:115c:a1e0:ac82:4843:ca90:697d:c36e"], "lastSeen": "2026-06-15T16:00:00Z" },
            { "id": "1", "name": "b.tail.ts.net", "os": "", "addresses": ["100.1.1.1", "junk"], "connectedToControl": true },
            { "hostname": "nameless" }, "junk", null,
        ]});
        let devices = read(MeshKind::Tailscale, body.to_string().as_bytes()).expect("devices");
        assert_eq!(devices.len(), 2);
        let [first, second] = &devices[..] else {
            panic!()
        };
        assert_eq!(
            (first.id.as_str(), first.name.as_str()),
            ("n292kg92CNTRL", "pangolin")
        );
        assert!(first.is_online(at("2026-06-15T16:05:00Z")));
        assert!(!first.is_online(at("2026-06-15T16:05:01Z")));
        assert!(first.has("100.87.74.78") && first.has("fd7a:115c:a1e0:ac82:4843:ca90:697d:c36e"));
        assert!(!first.has("100.87.74.7") && !first.has("") && !first.has("pangolin"));
        assert!(second.is_online(at("2026-06-15T16:05:00Z")) && second.os.is_none());
        assert_eq!(second.addresses.len(), 1);
    }

    #[test]
    fn headscale_nodes_are_read_and_a_zero_time_is_absent() {
        let body = json!({ "nodes": [
            { "id": "1", "name": "host-a", "givenName": "a", "ipAddresses": ["100.64.0.1", "fd7a:115c:a1e0::1"], "online": false,
              "lastSeen": "2026-11-21T10:00:00.123456789Z" },
            { "id": "2", "name": "host-b", "givenName": "", "ipAddresses": [], "lastSeen": "0001-01-01T00:00:00Z" },
        ]});
        let devices = read(MeshKind::Headscale, body.to_string().as_bytes()).expect("nodes");
        assert_eq!(
            (devices[0].name.as_str(), devices[1].name.as_str()),
            ("a", "host-b")
        );
        let now = at("2026-11-21T10:00:01Z");
        assert!(!devices[0].is_online(now), "it says so itself");
        assert!(devices[1].last_seen.is_none() && !devices[1].is_online(now));
    }

    #[rstest]
    #[case(b"")]
    #[case(b"[]")]
    #[case(b"{\"devices\": 7}")]
    #[case(b"<html>")]
    fn invalid_list_is_an_error(#[case] body: &[u8]) {
        assert_eq!(read(MeshKind::Tailscale, body), None);
        assert_eq!(read(MeshKind::Headscale, body), None);
    }

    #[rstest]
    #[case("example.com", true)]
    #[case("ada@example.com", true)]
    #[case("ada.github", true)]
    #[case("-", false)]
    #[case("", false)]
    #[case("../x", false)]
    #[case("a..b", false)]
    #[case("a/b", false)]
    fn a_tailnet_is_a_name(#[case] text: &str, #[case] fine: bool) {
        assert_eq!(is_tailnet(text), fine);
    }

    #[rstest]
    #[case(MeshKind::Tailscale, None, Some("https://api.tailscale.com/"))]
    #[case(
        MeshKind::Tailscale,
        Some("https://proxy.example/ts"),
        Some("https://proxy.example/ts")
    )]
    #[case(MeshKind::Headscale, None, None)]
    #[case(
        MeshKind::Headscale,
        Some("https://mesh.example/hs/"),
        Some("https://mesh.example/hs")
    )]
    #[case(MeshKind::Headscale, Some("https://me:word@mesh.example"), None)]
    #[case(MeshKind::Headscale, Some("https://mesh.example?x=1"), None)]
    #[case(MeshKind::Headscale, Some("file:///etc"), None)]
    fn an_address_is_checked(
        #[case] kind: MeshKind,
        #[case] given: Option<&str>,
        #[case] expected: Option<&str>,
    ) {
        let url = base_url(kind, given).ok();
        assert_eq!(url.as_ref().map(Url::as_str), expected);
    }

    #[rstest]
    #[case(401, true)]
    #[case(403, true)]
    #[case(404, true)]
    #[case(429, false)]
    #[case(502, false)]
    fn refusals_differ(#[case] status: u16, #[case] lasting: bool) {
        let refusal = Refusal::of_status(MeshKind::Headscale, status, None);
        assert_eq!(refusal.lasting, lasting);
        assert!(refusal.detail.contains(&status.to_string()));
        assert_eq!(refusal.retry_after.is_some(), status == 429);
    }
}
