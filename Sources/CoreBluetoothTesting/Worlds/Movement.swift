// A device on its way: from where it is to a position, straight and at constant speed. Its place on the air changes in
// steps, each of which the world's event loop takes at its time; so what its signal does follows, too.

import BluetoothAir
import NIOCore

/// A movement that goes on.
struct Movement {
    let start: AirPosition
    let end: AirPosition
    let startTime: NIODeadline
    let duration: TimeAmount
    /// How many steps it has.
    let stepCount: Int64
    /// How many were taken.
    private(set) var step: Int64 = 0

    /// How far a step goes at most, in metres: half a metre changes the strength by less than 1 dB from 5 m on.
    private static let stepLength = 0.5
    /// Shorter ones are not taken, however fast a device is.
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

    /// When the next step is taken.
    var nextTime: NIODeadline {
        let share = Double(self.step + 1) / Double(self.stepCount)
        guard share < 1 else { return self.startTime + self.duration }
        return self.startTime + .nanoseconds(Int64(Double(self.duration.nanoseconds) * share))
    }

    /// Takes the next step; returns where the device is then.
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
    /// Its ``position`` changes in steps of half a metre, or of a millisecond where that is longer, and who hears it
    /// follows. The trace says when it begins and when it arrives. It moves on while it is switched off, until it arrives,
    /// is moved again, or gets another ``position`` or ``distance``.
    ///
    /// A device that has a distance in place of a position moves nowhere: that is a mistake, which the world throws next.
    ///
    /// - Parameters:
    ///   - position: Where it goes.
    ///   - duration: How long that takes; with zero or less it is there at once.
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

    /// Whether the device is on its way, after ``move(to:over:file:line:)``.
    public var isMoving: Bool { self.movement != nil }
}
