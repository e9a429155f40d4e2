//! MessagePack as a tree, so that tests can change frames as a newer peer or an attacker would.
use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A value of any shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Nil,
    Bool(bool),
    U64(u64),
    I64(i64),
    F32(f32),
    F64(f64),
    Str(String),
    Bin(Vec<u8>),
    Seq(Vec<Value>),
    Map(Vec<(Value, Value)>),
}

impl Value {
    pub fn read(bytes: &[u8]) -> Self {
        rmp_serde::from_slice(bytes).expect("it was written by us")
    }

    pub fn write(&self) -> Vec<u8> {
        rmp_serde::to_vec_named(self).expect("a tree encodes")
    }

    pub fn text(text: &str) -> Self {
        Self::Str(text.to_owned())
    }

    /// The value of a map's field.
    pub fn field(&mut self, name: &str) -> &mut Value {
        let Self::Map(entries) = self else {
            panic!("not a map: {self:?}")
        };
        let entry = entries.iter_mut().find(|(key, _)| *key == Self::text(name));
        &mut entry.unwrap_or_else(|| panic!("no field {name}")).1
    }

    /// Adds an unknown field to every map whose fields have names.
    pub fn grow(&mut self) {
        match self {
            Self::Seq(items) => items.iter_mut().for_each(Self::grow),
            Self::Map(entries) => {
                for (_, value) in entries.iter_mut() {
                    value.grow();
                }
                let nested = Self::Map(vec![(
                    Self::text("deep"),
                    Self::Seq(vec![Self::Nil, Self::Bin(vec![1])]),
                )]);
                entries.push((Self::text("field_of_a_newer_minor"), nested));
            }
            _ => {}
        }
    }

    /// Every position in the tree, as a path of child indexes.
    pub fn places(&self) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new()];
        let children: Vec<&Value> = match self {
            Self::Seq(items) => items.iter().collect(),
            Self::Map(entries) => entries
                .iter()
                .flat_map(|(key, value)| [key, value])
                .collect(),
            _ => Vec::new(),
        };
        for (number, child) in children.into_iter().enumerate() {
            for mut place in child.places() {
                place.insert(0, number);
                out.push(place);
            }
        }
        out
    }

    /// The value at a position.
    pub fn at(&mut self, place: &[usize]) -> &mut Value {
        let Some((&number, rest)) = place.split_first() else {
            return self;
        };
        match self {
            Self::Seq(items) => items[number].at(rest),
            Self::Map(entries) => {
                let (key, value) = &mut entries[number / 2];
                if number % 2 == 0 {
                    key.at(rest)
                } else {
                    value.at(rest)
                }
            }
            other => panic!("no child {number} in {other:?}"),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nil => to.serialize_unit(),
            Self::Bool(value) => to.serialize_bool(*value),
            Self::U64(value) => to.serialize_u64(*value),
            Self::I64(value) => to.serialize_i64(*value),
            Self::F32(value) => to.serialize_f32(*value),
            Self::F64(value) => to.serialize_f64(*value),
            Self::Str(value) => to.serialize_str(value),
            Self::Bin(value) => to.serialize_bytes(value),
            Self::Seq(items) => {
                let mut seq = to.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Self::Map(entries) => {
                let mut map = to.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("MessagePack")
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Nil)
            }
            fn visit_none<E>(self) -> Result<Value, E> {
                Ok(Value::Nil)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value::Bool(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value::U64(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value::I64(value))
            }
            fn visit_f32<E>(self, value: f32) -> Result<Value, E> {
                Ok(Value::F32(value))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value::F64(value))
            }
            fn visit_str<E>(self, value: &str) -> Result<Value, E> {
                Ok(Value::text(value))
            }
            fn visit_bytes<E>(self, value: &[u8]) -> Result<Value, E> {
                Ok(Value::Bin(value.to_vec()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Value::Seq(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Value::Map(entries))
            }
        }
        from.deserialize_any(Any)
    }
}
