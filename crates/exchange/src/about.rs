//! What a replica says about itself, for people who look into the share.

use serde_json::json;

/// The content of `about.json`; nothing depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The name of the device.
    pub device: String,
    /// The agent that remembers.
    pub agent: String,
    /// The version of memlore.
    pub version: String,
}

impl About {
    /// The file's text.
    pub fn to_json(&self) -> String {
        let fields = json!({ "device": self.device, "agent": self.agent, "version": self.version });
        format!("{fields:#}\n")
    }

    /// Reads what [`Self::to_json`] wrote; what is missing is empty.
    pub fn from_json(json: &str) -> Option<Self> {
        let fields: serde_json::Value = serde_json::from_str(json).ok()?;
        let field =
            |name: &str| fields.get(name).and_then(|text| text.as_str()).unwrap_or_default().to_owned();
        fields.is_object().then(|| Self {
            device: field("device"),
            agent: field("agent"),
            version: field("version"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_reads_back() {
        let about = About { device: "laptop".into(), agent: "hermes".into(), version: "0.1.0".into() };
        assert_eq!(About::from_json(&about.to_json()), Some(about));
        assert_eq!(About::from_json("[]"), None);
    }
}
