// The places of a world's devices, and what weakens the signals between them; the air computes who hears whom.

import BluetoothAir
import NIOCore

/// A position in a world: a point in a plane, in metres.
public typealias Position = AirPosition

/// A wall in a world: it weakens signals between positions on its two sides.
public typealias Wall = AirWall

extension World {
    /// The walls between positions; none at first.
    ///
    /// A wall weakens every signal whose straight path between two positions crosses it, and several walls add up:
    ///
    /// ```swift
    /// world.walls = [Wall(from: Position(x: 5, y: -10), to: Position(x: 5, y: 10), attenuation: 12)]
    /// ```
    ///
    /// Links whose devices no longer hear each other are lost when their supervision timeouts have passed. Walls do not
    /// affect devices with a ``Radio/distance`` instead of a position.
    public var walls: [Wall] {
        get { self.air.walls }
        set {
            self.note(newValue.count == 1 ? "there is 1 wall" : "there are \(newValue.count) walls")
            self.air.walls = newValue
        }
    }

    /// Sets how much weaker two devices hear each other than their places imply.
    ///
    /// ```swift
    /// world.setAttenuation(.infinite, between: phone, and: sensor)
    /// ```
    ///
    /// It applies in both directions, to devices with and without positions, also after either was switched off and on.
    /// 0 removes it.
    public func setAttenuation(_ attenuation: Attenuation, between one: Radio, and other: Radio) {
        precondition(one !== other, "A device cannot be attenuated from itself")
        one.note(
            attenuation == .infinite
                ? "and \(other.name) do not hear each other"
                : "and \(other.name) hear each other \(decimal(attenuation.decibels, places: 1, trims: true)) dB weaker"
        )
        self.attenuations.set(attenuation, between: one, and: other)
        guard let (here, there) = one.channel.flatMap({ here in other.channel.map { (here, $0) } }) else { return }
        here.controller.setAttenuation(attenuation, to: there.controller)
    }
}

/// The attenuations of pairs of devices.
struct PairAttenuations {
    /// By one device's name and then the other's, in both orders.
    private var pairs: [String: [String: Attenuation]] = [:]

    mutating func set(_ attenuation: Attenuation, between one: Radio, and other: Radio) {
        let value = attenuation > 0 ? attenuation : nil
        self.pairs[one.name, default: [:]][other.name] = value
        self.pairs[other.name, default: [:]][one.name] = value
    }

    /// The attenuations of a device, by the names of the others, in a fixed order.
    func all(of radio: Radio) -> [(name: String, attenuation: Attenuation)] {
        (self.pairs[radio.name] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
