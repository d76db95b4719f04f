// Where the devices of a world are, what stands between them, and how they move. Who hears whom follows from that alone:
// the air has the path loss and the attenuation.

import BluetoothAir
import NIOCore

/// A position in a world: a point in a plane, in metres.
public typealias Position = AirPosition

/// A wall in a world: it weakens what passes from a position on one side to a position on the other.
public typealias Wall = AirWall

extension World {
    /// The walls between positions; none from the start.
    ///
    /// A wall weakens every signal whose straight way between two positions crosses it, and walls that stand behind each
    /// other add up:
    ///
    /// ```swift
    /// world.walls = [Wall(from: Position(x: 5, y: -10), to: Position(x: 5, y: 10), attenuation: 12)]
    /// ```
    ///
    /// Links whose devices no longer hear each other are lost when their supervision timeouts have passed. Devices that
    /// have a ``Radio/distance`` in place of a position are affected by no wall.
    public var walls: [Wall] {
        get { self.air.walls }
        set {
            self.note(newValue.count == 1 ? "there is 1 wall" : "there are \(newValue.count) walls")
            self.air.walls = newValue
        }
    }

    /// Sets how much weaker two devices hear each other than by their places alone.
    ///
    /// ```swift
    /// world.setAttenuation(.infinite, between: phone, and: sensor)
    /// ```
    ///
    /// It holds in both directions, for devices with positions and for others, also after either of them was switched off
    /// and on. 0 takes it away.
    public func setAttenuation(_ attenuation: Attenuation, between one: Radio, and other: Radio) {
        precondition(one !== other, "A device is not apart from itself")
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

/// What is set for pairs of devices.
struct PairAttenuations {
    /// By the names of both, the lower one first; by one device's name, the others.
    private var pairs: [String: [String: Attenuation]] = [:]

    mutating func set(_ attenuation: Attenuation, between one: Radio, and other: Radio) {
        let value = attenuation > 0 ? attenuation : nil
        self.pairs[one.name, default: [:]][other.name] = value
        self.pairs[other.name, default: [:]][one.name] = value
    }

    /// What is set for a device, by the names of the others, in a fixed order.
    func all(of radio: Radio) -> [(name: String, attenuation: Attenuation)] {
        (self.pairs[radio.name] ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
