import BluetoothAir
import Fixtures
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("12.3 Streams of a channel")
struct StreamTests {
    @Test("12.3 refuses to read and write before they are open, and delivers afterwards")
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
        #expect(ball.inputEvents.isEmpty)
        talk.testbed.run(.milliseconds(1))
        #expect(ball.inputEvents == [.openCompleted, .hasBytesAvailable])
        #expect(ball.outputEvents == [.openCompleted, .hasSpaceAvailable])
        #expect(ball.received == 10 && ball.isUnchanged)
    }

    @Test("12.3 keep their delegate weakly, and report pending events to the next one")
    func delegates() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.users()
        final class Silent: NSObject, StreamDelegate {}
        var silent: Silent? = Silent()
        ball.input.schedule(in: .main, forMode: .default)
        ball.input.delegate = silent
        #expect(ball.input.delegate === silent)
        ball.input.open()
        talk.testbed.run(.milliseconds(1))
        silent = nil
        #expect(ball.input.delegate == nil)
        central.open()
        central.write(5)
        talk.testbed.run()
        ball.input.delegate = ball
        talk.testbed.run(.milliseconds(1))
        #expect(ball.inputEvents == [.hasBytesAvailable] && ball.received == 5)
    }

    @Test("12.3 stop a sender whose reader does not read, with a limited buffer, and lose nothing")
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
        let (second, third) = try talk.openUsers()
        second.write(10_000)
        talk.testbed.run()
        #expect(third.received == 10_000)
        central.reads = true
        ball.reads = true
        central.read()
        ball.read()
        let before = central.received
        #expect(talk.testbed.run { central.received > before + limit && ball.received > limit })
        #expect(central.isUnchanged && ball.isUnchanged)
    }

    @Test("12.3 write as much as there is capacity for, and read what is there, without waiting in virtual time")
    func partialWrites() throws {
        let talk = try ChannelTalk()
        let (central, ball) = try talk.openUsers()
        ball.reads = false
        let octets = [UInt8](repeating: 1, count: 1_000_000)
        #expect(central.output.write(octets, maxLength: octets.count) == SendBuffer.limit)
        #expect(central.output.write(octets, maxLength: octets.count) == -1)
        #expect((central.output.streamError as? POSIXError)?.code == .EAGAIN && central.output.streamStatus == .open)
        talk.testbed.run()
        for length in [0, -1] { #expect(central.output.write(octets, maxLength: length) == 0) }
        #expect(central.output.write(octets, maxLength: octets.count) > 0)
        #expect(central.output.streamError == nil)
        var octet: UInt8 = 0
        #expect(central.input.read(&octet, maxLength: 0) == 0 && central.input.read(&octet, maxLength: 1) == -1)
        #expect((central.input.streamError as? POSIXError)?.code == .EAGAIN && central.input.streamStatus == .open)
    }

    @Test("12.3 have no properties and no buffer, as Foundation's network streams")
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
        let stray = ChannelOutputStream.toMemory()
        stray.open()
        #expect(stray.streamStatus == .atEnd && !stray.hasSpaceAvailable)
    }

    @Test("12.3 let a delegate close and release everything while it is called")
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
