//! The hottest sensor.
use sysinfo::Components;

/// Sensors of the machine; virtual machines have none.
pub struct Thermometer(Option<Components>);

impl Thermometer {
    pub fn find() -> Self {
        Self(Components::new_with_refreshed_list().ok())
    }

    /// °C of the hottest sensor; absent without sensors.
    pub fn hottest(&mut self) -> Option<f32> {
        let components = self.0.as_mut()?;
        components.refresh(false);
        // A sensor that is not connected reads 0, -273 or thousands.
        components
            .iter()
            .filter_map(sysinfo::Component::temperature)
            .filter(|temp| (1.0..200.0).contains(temp))
            .max_by(f32::total_cmp)
    }
}
