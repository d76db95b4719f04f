// What a role does with an L2CAP channel: it sends a long row of octets that follow from their place, and checks that
// what comes is such a row. The streams are scheduled on the main run loop, as an app does it.

import CoreBluetooth
import Foundation

/// An open channel, used on the main thread.
final class ChannelUser: NSObject, StreamDelegate {
    private let channel: CBL2CAPChannel
    private let number: Int
    private let start = DispatchTime.now()
    private var sent = 0
    private var toSend = 0
    private var received = 0
    private var expected: Int?
    private var fault: String?
    /// Whether received octets stay unread.
    private var isPaused = false

    init(_ channel: CBL2CAPChannel, number: Int) {
        self.channel = channel
        self.number = number
        super.init()
        for stream in [channel.inputStream, channel.outputStream] as [Stream] {
            stream.delegate = self
            stream.schedule(in: .main, forMode: .default)
            stream.open()
        }
    }

    /// The octet at an offset of the stream.
    static func octet(_ place: Int) -> UInt8 { UInt8(truncatingIfNeeded: 7 &* place &+ place / 251) }

    func send(_ octets: Int) {
        self.toSend += octets
        self.pump()
    }

    func expect(_ octets: Int) {
        self.expected = octets
        self.report()
    }

    func pause() {
        self.isPaused = true
        say("channelPaused", ["channel": self.number])
    }

    func resume() {
        self.isPaused = false
        self.take()
    }

    func close() {
        self.channel.inputStream.close()
        self.channel.outputStream.close()
    }

    private func pump() {
        while self.sent < self.toSend, self.channel.outputStream.hasSpaceAvailable {
            let piece = (self.sent..<min(self.sent + 4096, self.toSend)).map(Self.octet)
            let count = self.channel.outputStream.write(piece, maxLength: piece.count)
            guard count > 0 else { return }
            self.sent += count
            if self.sent == self.toSend { say("channelSent", ["channel": self.number, "octets": self.sent]) }
        }
    }

    private func take() {
        var piece = [UInt8](repeating: 0, count: 4096)
        while !self.isPaused, self.channel.inputStream.hasBytesAvailable {
            let count = self.channel.inputStream.read(&piece, maxLength: piece.count)
            guard count > 0 else { break }
            for index in 0..<count where self.fault == nil && piece[index] != Self.octet(self.received + index) {
                self.fault = "octet \(self.received + index) was \(piece[index])"
            }
            self.received += count
        }
        self.report()
    }

    private func report() {
        guard let expected = self.expected, self.received >= expected else { return }
        self.expected = nil
        say(
            "channelReceived",
            [
                "channel": self.number, "octets": self.received, "fault": self.fault,
                "ms": milliseconds(since: self.start),
            ]
        )
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        if event.contains(.hasBytesAvailable) { self.take() }
        if event.contains(.hasSpaceAvailable) { self.pump() }
        if event.contains(.endEncountered), stream === self.channel.inputStream {
            self.take()
            say("channelEnded", ["channel": self.number, "octets": self.received])
        }
    }
}

/// All open channels of both roles, by their numbers.
final class Channels {
    // Used on the main thread.
    private var users: [ChannelUser] = []

    /// A channel was opened, or could not be.
    func opened(_ channel: CBL2CAPChannel?, _ error: (any Error)?) {
        // The callback's queue no longer uses it: from here on only the main thread does.
        nonisolated(unsafe) let channel = channel
        let reason = words(error)
        DispatchQueue.main.async {
            guard let channel else { return say("channel", ["error": reason]) }
            let number = self.users.count
            self.users.append(ChannelUser(channel, number: number))
            say("channel", ["channel": number, "psm": channel.psm, "error": reason])
        }
    }

    /// Does what a line says with one channel.
    func take(_ message: Message) {
        let (what, number, octets) = (message.text("do"), message.number("channel"), message.number("octets"))
        DispatchQueue.main.async {
            guard self.users.indices.contains(number) else { return say("fault", ["reason": "no channel \(number)"]) }
            switch what {
            case "channelSend": self.users[number].send(octets)
            case "channelExpect": self.users[number].expect(octets)
            case "channelPause": self.users[number].pause()
            case "channelResume": self.users[number].resume()
            default: self.users[number].close()
            }
        }
    }
}
