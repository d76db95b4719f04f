// The two streams of a channel in virtual time: how they behave before they are open, what they report and when, and
// how little either side buffers for a reader who does not read.

import BluetoothAir
import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12.3 Streams of a channel")
struct StreamTests {
    /// Notes nothing but that it was called.
    private final class Counter: NSObject, StreamDelegate {
        var events: [Stream.Event] = []
        func stream(_ aStream: Stream, handle eventCode: Stream.Event) { self.events.append(eventCode) }
    }

    @Test("12.3 nothing is read and nothing written before the streams are open")
    func unopened() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.users()
        central.open()
        central.write(10)
        talk.testbed.run()
        var octet: UInt8 = 7
        #expect(!ball.input.hasBytesAvailable && !ball.output.hasSpaceAvailable)
        #expect(ball.input.read(&octet, maxLength: 1) == -1 && ball.output.write(&octet, maxLength: 1) == -1)
        for stream in [ball.input, ball.output] as [Stream] {
            #expect((stream.streamError as? POSIXError)?.code == .ENOTCONN)
            #expect((stream.streamError as NSError?)?.domain == NSPOSIXErrorDomain)
            #expect(stream.streamStatus == .notOpen)
        }
        ball.open()
        #expect(ball.input.streamStatus == .open && ball.input.streamError == nil)
        // The delegate is called later, as from a run loop.
        #expect(ball.inputEvents.isEmpty)
        talk.testbed.run(.milliseconds(1))
        #expect(ball.inputEvents == [.openCompleted, .hasBytesAvailable])
        #expect(ball.outputEvents == [.openCompleted, .hasSpaceAvailable])
        #expect(ball.received == 10 && ball.isUnchanged)
    }

    @Test(
        "12.3 a stream that is not scheduled reports nothing, and one that is scheduled later reports what is pending"
    )
    func schedulingLater() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.users()
        ball.input.delegate = ball
        ball.input.open()
        central.open()
        central.write(10)
        talk.testbed.run()
        #expect(ball.inputEvents.isEmpty && ball.input.hasBytesAvailable)
        ball.input.schedule(in: .main, forMode: .default)
        talk.testbed.run(.milliseconds(1))
        #expect(ball.inputEvents == [.openCompleted, .hasBytesAvailable] && ball.received == 10)
        ball.input.remove(from: .main, forMode: .default)
        central.write(10)
        talk.testbed.run()
        #expect(ball.inputEvents.count == 2)
        ball.input.schedule(in: .main, forMode: .common)
        talk.testbed.run(.milliseconds(1))
        #expect(ball.received == 20)
    }

    @Test("12.3 a stream that was taken out of its run loop before the report is made reports nothing")
    func removedBeforeReport() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.users()
        ball.input.delegate = ball
        ball.input.open()
        central.open()
        central.write(10)
        talk.testbed.run()
        ball.input.schedule(in: .main, forMode: .default)
        ball.input.remove(from: .main, forMode: .default)
        talk.testbed.run(.milliseconds(1))
        #expect(ball.inputEvents.isEmpty && ball.received == 0)
        ball.input.schedule(in: .main, forMode: .default)
        talk.testbed.run(.milliseconds(1))
        #expect(ball.inputEvents == [.openCompleted, .hasBytesAvailable] && ball.received == 10)
    }

    @Test("12.3 the delegate can be changed; it is not retained")
    func delegates() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.users()
        var counter: Counter? = Counter()
        weak let weakCounter = counter
        ball.input.schedule(in: .main, forMode: .default)
        ball.input.delegate = counter
        #expect(ball.input.delegate === counter)
        ball.input.open()
        talk.testbed.run(.milliseconds(1))
        #expect(counter?.events == [.openCompleted])
        counter = nil
        #expect(weakCounter == nil && ball.input.delegate == nil)
        central.open()
        central.write(5)
        talk.testbed.run()
        ball.input.delegate = ball
        talk.testbed.run(.milliseconds(1))
        #expect(ball.inputEvents == [.hasBytesAvailable] && ball.received == 5)
    }

    @Test("12.3 octets are reported once, and again after each read that leaves some")
    func bytesAvailable() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        ball.reads = false
        central.write(100)
        talk.testbed.run(.milliseconds(1))
        central.write(100)
        talk.testbed.run(.milliseconds(1))
        #expect(ball.inputEvents == [.openCompleted, .hasBytesAvailable])
        for round in 1...3 {
            ball.read(atMost: 60)
            talk.testbed.run(.milliseconds(1))
            #expect(ball.inputEvents.count { $0 == .hasBytesAvailable } == 1 + round)
        }
        ball.read()
        talk.testbed.run(.milliseconds(1))
        #expect(ball.inputEvents.count { $0 == .hasBytesAvailable } == 4)
        #expect(ball.received == 200 && ball.isUnchanged)
    }

    @Test("12.3 capacity is reported at the beginning, after each write, and after it was lacking")
    func spaceAvailable() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        #expect(central.outputEvents == [.openCompleted, .hasSpaceAvailable])
        central.write(10)
        talk.testbed.run(.milliseconds(1))
        #expect(central.outputEvents.count { $0 == .hasSpaceAvailable } == 2)
        talk.testbed.run()
        #expect(central.outputEvents.count { $0 == .hasSpaceAvailable } == 2)
        ball.reads = false
        central.write(1_000_000)
        talk.testbed.run()
        let stalled = central.outputEvents.count
        let written = central.written
        #expect(!central.output.hasSpaceAvailable)
        talk.testbed.run(.seconds(5))
        #expect(central.outputEvents.count == stalled && central.written == written)
        ball.reads = true
        ball.read()
        #expect(talk.testbed.run { ball.received == central.total })
        #expect(ball.isUnchanged)
    }

    @Test("12.3 a reader who does not read stops the sender, and what is buffered has a limit")
    func backPressure() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        central.reads = false
        ball.reads = false
        central.write(2_000_000)
        ball.write(2_000_000)
        talk.testbed.run(.seconds(20))
        let window = Channels.configuration.window * Channels.configuration.mps
        let limit = SendBuffer.limit + Channels.configuration.sendLimit + window + Channels.configuration.mtu
        for user in [central, ball] {
            #expect(user.written > limit / 2 && user.written <= limit)
        }
        // The link is not in the way of others.
        let (second, third) = try talk.openUsers()
        second.write(10_000)
        talk.testbed.run()
        #expect(third.received == 10_000)
        // Both go on where they stopped.
        central.reads = true
        ball.reads = true
        central.read()
        ball.read()
        let before = central.received
        #expect(talk.testbed.run { central.received > before + limit && ball.received > limit })
        #expect(central.isUnchanged && ball.isUnchanged)
    }

    @Test("12.3 a write takes as much as there is capacity for")
    func partialWrites() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        ball.reads = false
        let octets = [UInt8](repeating: 1, count: 1_000_000)
        #expect(central.output.write(octets, maxLength: octets.count) == SendBuffer.limit)
        #expect(central.output.write(octets, maxLength: octets.count) == -1)
        // In virtual time no thread can wait.
        #expect((central.output.streamError as? POSIXError)?.code == .EAGAIN && central.output.streamStatus == .open)
        talk.testbed.run()
        #expect(central.output.write(octets, maxLength: 0) == 0)
        #expect(central.output.write(octets, maxLength: octets.count) > 0)
        #expect(central.output.streamError == nil)
    }

    @Test("12.3 reading where nothing is")
    func nothingToRead() throws {
        let talk = try ChannelTalk()
        let (central, _) = try talk.openUsers()
        var octets = [UInt8](repeating: 0, count: 10)
        #expect(central.input.read(&octets, maxLength: 0) == 0)
        #expect(central.input.read(&octets, maxLength: 10) == -1)
        #expect((central.input.streamError as? POSIXError)?.code == .EAGAIN && central.input.streamStatus == .open)
        #expect(!central.input.hasBytesAvailable)
    }

    @Test("12.3 properties and buffers as of Foundation's network streams")
    func properties() throws {
        let talk = try ChannelTalk()
        let (central, _) = try talk.openUsers()
        for stream in [central.input, central.output] as [Stream] {
            #expect(stream.property(forKey: .fileCurrentOffsetKey) == nil)
            #expect(!stream.setProperty(NSNumber(value: 1), forKey: .networkServiceType))
        }
        var buffer: UnsafeMutablePointer<UInt8>?
        var length = 0
        #expect(!central.input.getBuffer(&buffer, length: &length))
        // A class of output streams has to have this; it leads nowhere.
        let stray = ChannelOutputStream.toMemory()
        stray.open()
        #expect(stray.streamStatus == .atEnd && !stray.hasSpaceAvailable)
    }

    @Test("12.3 a closed stream reports and does nothing more, and drops what comes")
    func closed() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        central.input.close()
        let count = central.inputEvents.count
        ball.write(1_000_000)
        #expect(talk.testbed.run { ball.written == 1_000_000 })
        #expect(central.inputEvents.count == count && central.received == 0 && central.input.streamStatus == .closed)
        var octet: UInt8 = 0
        #expect(central.input.read(&octet, maxLength: 1) == -1)
        central.input.open()
        #expect(central.input.streamStatus == .closed)
        // The other direction goes on.
        central.write(1000)
        talk.testbed.run()
        #expect(ball.received == 1000 && ball.isUnchanged)
    }

    @Test("12.3 small pieces in both directions, each at once")
    func smallPieces() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers(piece: 3)
        for _ in 0..<1000 {
            central.write(1)
            ball.write(2)
            talk.testbed.run(.microseconds(1))
        }
        talk.testbed.run()
        #expect(ball.received == 1000 && central.received == 2000 && central.isUnchanged && ball.isUnchanged)
    }

    @Test("12.3 a delegate may close and release everything while it is called")
    func closingInside() throws {
        final class Quitter: NSObject, StreamDelegate {
            var channel: CBL2CAPChannel?
            var isDone = false
            func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
                guard eventCode == .hasBytesAvailable else { return }
                self.channel?.inputStream.close()
                self.channel?.outputStream.close()
                self.channel = nil
                self.isDone = true
            }
        }
        let talk = try ChannelTalk()
        let quitter = Quitter()
        talk.talk.ball.onChannel = { quitter.channel = $0 }
        talk.peripheral.openL2CAPChannel(talk.psm)
        try #require(talk.testbed.run { !talk.talk.central.channels.isEmpty && quitter.channel != nil })
        weak let channel = quitter.channel
        let input = try #require(quitter.channel?.inputStream)
        input.delegate = quitter
        input.schedule(in: .main, forMode: .default)
        input.open()
        let user = StreamUser(talk.talk.central.channels[0], salt: 0)
        user.open()
        user.write(1)
        talk.testbed.run()
        #expect(quitter.isDone && channel == nil && user.inputEvents.last == .endEncountered)
    }
}
