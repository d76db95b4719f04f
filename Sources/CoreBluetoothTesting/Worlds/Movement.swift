// A moving device: from its place to a position, straight and at constant speed. The world's event loop changes its
// place on the air in steps, and its signal strength follows.

import BluetoothAir
import NIOCore

/// A movement in progress.
struct Movement {
    let start: AirPosition
    let end: AirPosition
    let startTime: NIODeadline
    let duration: TimeAmount
    /// The number of steps.
    let stepCount: Int64
    /// The number of steps taken.
    private(set) var step: Int64 = 0

    /// The maximum length of a step in metres: from 5 m on, half a metre changes the strength by less than 1 dB.
    private static let stepLength = 0.5
    /// The minimum duration of a step, however fast the device is.
    private static let shortestStep = TimeAmount.milliseconds(1)

    init(from start: AirPosition, to end: AirPosition, at time: NIODeadline, over duration: TimeAmount) {
        self.start = start
        self.end = end
        self.startTime = time
        self.duration = duration
        let byLength = Int64((start.distance(to: end).metres / Self.stepLength).rounded(.up))
        let byTime = duration.nanoseconds / Self.shortestStep.nanoseconds
        self.stepCount = max(1, min(byLength, byTime))
    }

    /// Whether the device has arrived.
    var isOver: Bool { self.step >= self.stepCount }

    /// The time of the next step.
    var nextTime: NIODeadline {
        let share = Double(self.step + 1) / Double(self.stepCount)
        guard share < 1 else { return self.startTime + self.duration }
        return self.startTime + .nanoseconds(Int64(Double(self.duration.nanoseconds) * share))
    }

    /// Takes the next step and returns the device's new position.
    mutating func takeStep() -> AirPosition {
        self.step += 1
        guard !self.isOver else { return self.end }
        let share = Double(self.step) / Double(self.stepCount)
        return AirPosition(
            x: self.start.x + (self.end.x - self.start.x) * share,
            y: self.start.y + (self.end.y - self.start.y) * share
        )
    }
}

extension Radio {
    /// Moves the device to a position in virtual time, straight and at constant speed.
    ///
    /// ```swift
    /// phone.move(to: Position(x: 500, y: 0), over: .seconds(350))
    /// ```
    ///
    /// Its ``position`` changes in steps of half a metre, or of a millisecond if that is longer. The trace says when
    /// the movement begins and ends. The device keeps moving while it is switched off, until it arrives, is moved
    /// again, or gets another ``position`` or ``distance``.
    ///
    /// A device with a distance instead of a position cannot move: the next `run(until:within:)` throws this mistake.
    ///
    /// - Parameters:
    ///   - position: The destination.
    ///   - duration: The time that it takes; with zero or less the device arrives immediately.
    ///   - file: The file of the call, for messages.
    ///   - line: The line of the call, for messages.
    public func move(
        to position: Position,
        over duration: Duration,
        file: StaticString = #fileID,
        line: UInt = #line
    ) {
        guard let start = self.position else {
            return self.world.reportMistake(
                "\(file):\(line): \(self.name) has a distance and no position; give it a position before it moves"
            )
        }
        guard duration > .zero, start != position else { return self.position = position }
        self.note("begins to move to \(position), where it is in \(text(of: duration))")
        self.begin(Movement(from: start, to: position, at: self.world.loop.now, over: TimeAmount(duration)))
    }

    /// Whether the device is moving after ``move(to:over:file:line:)``.
    public var isMoving: Bool { self.movement != nil }
}
