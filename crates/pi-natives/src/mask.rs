//! What masks secrets: compiled once, used by sessions, sinks and texts.

use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use pi_shell::mask::{Mask, MaskOptions, Masked, MaskedValue, Masker};

use crate::error::{ThrownError, thrown};
use crate::outcome::count;
use crate::text::{JsText, Text};

/// A value that must not be shown.
#[napi(object, object_to_js = false)]
pub struct SecretValue {
    /// How markers call it.
    pub name: String,
    /// The value itself.
    pub value: String,
}

/// What is masked.
#[napi(object, object_to_js = false)]
pub struct SecretMaskRequest {
    /// Values that must not be shown.
    pub values: Vec<SecretValue>,
    /// Mask tokens of well-known forms.
    pub shapes: bool,
    /// Names of values and forms that are not masked; `*` stands for any run of characters.
    pub allow: Vec<String>,
}

/// What is masked, compiled. Its values cannot be read back.
#[napi]
pub struct SecretMask {
    /// `None`: there is nothing to mask.
    core: Option<Mask>,
}

#[napi]
impl SecretMask {
    /// Compiles what `request` asks for.
    #[napi(constructor, catch_unwind)]
    pub fn new(request: SecretMaskRequest) -> Result<Self, ThrownError> {
        let values = request.values.into_iter();
        let options = MaskOptions {
            values: values.map(|SecretValue { name, value }| MaskedValue { name, value }).collect(),
            shapes: request.shapes,
            allow: request.allow,
        };
        Ok(Self { core: Mask::new(&options).map_err(|error| thrown(error.into()))? })
    }

    /// `text` with markers in the place of secrets.
    #[napi(catch_unwind)]
    pub fn text(&self, text: String) -> MaskedText {
        let (text, masked) = match &self.core {
            Some(mask) => mask.text(&text),
            None => (text, Masked::default()),
        };
        let Masked { count: found, names } = masked;
        MaskedText {
            text: Text::from(text).into(),
            count: count(found),
            names: names.into_iter().collect(),
        }
    }
}

/// Masks one stream of bytes.
#[napi]
pub struct SecretMaskStream {
    /// `None`: there is nothing to mask.
    masker: Option<Masker>,
}

#[napi]
impl SecretMaskStream {
    /// A stream at its beginning.
    #[napi(constructor, catch_unwind)]
    pub fn new(mask: &SecretMask) -> Self {
        Self { masker: mask.core.as_ref().map(Mask::masker) }
    }

    /// Takes bytes that stand before what is wanted, and gives out nothing of them: a secret that begins in them is
    /// masked to its end.
    #[napi(catch_unwind)]
    pub fn skip(&mut self, bytes: Uint8Array) {
        if let Some(masker) = &mut self.masker {
            masker.skip(&bytes);
        }
    }

    /// Takes the next bytes, and gives out those that are decided.
    #[napi(catch_unwind)]
    pub fn push(&mut self, bytes: Uint8Array) -> Uint8Array {
        let Some(masker) = &mut self.masker else { return bytes };
        let mut shown = Vec::with_capacity(bytes.len());
        masker.push(&bytes, |bytes| shown.extend_from_slice(bytes));
        shown.into()
    }

    /// Ends the stream, and gives out what is left.
    #[napi(catch_unwind)]
    pub fn finish(&mut self) -> Uint8Array {
        let mut shown = Vec::new();
        if let Some(masker) = &mut self.masker {
            masker.finish(|bytes| shown.extend_from_slice(bytes));
        }
        shown.into()
    }
}

impl SecretMask {
    pub(crate) fn core(&self) -> Option<Mask> {
        self.core.clone()
    }
}

/// A text without its secrets.
#[napi(object, object_from_js = false)]
pub struct MaskedText {
    /// The text.
    #[napi(ts_type = "string")]
    pub text: JsText,
    /// Markers in it that stand for secrets.
    pub count: i64,
    /// Names in those, each once.
    pub names: Vec<String>,
}
