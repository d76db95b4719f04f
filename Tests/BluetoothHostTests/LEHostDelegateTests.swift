// A user of a host that implements nothing: what a peer waits for is refused, and what it sends is taken.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("Host: a delegate that says nothing")
struct LEHostDelegateTests {
    private final class Nobody: LEHostDelegate {}

    /// It takes requests to write, and says nothing else.
    private final class WritingDelegate: LEHostDelegate {
        var requests: [GATTWriteRequest] = []
        func host(_ host: LEHost, didReceiveWriteRequest request: GATTWriteRequest) { self.requests.append(request) }
    }

    /// A host with a link and a value that is asked of the user; the user does nothing.
    private struct Setup {
        let testbed = HostTestbed()
        let user: any LEHostDelegate
        let handle: AttributeHandle
        let link: LinkID

        init(_ user: any LEHostDelegate) throws {
            self.user = user
            self.testbed.controller.dataIsAnswered = true
            self.testbed.start()
            let link = self.testbed.acceptLink(0x40)
            self.link = try #require(link)
            self.handle = try self.testbed.host.addService(
                GATTServiceDefinition(
                    uuid: 0xA000,
                    characteristics: [
                        GATTCharacteristicDefinition(
                            uuid: 0xA001,
                            properties: [.read, .write, .writeWithoutResponse],
                            permissions: [.readable, .writeable]
                        )
                    ]
                )
            ).characteristics[0].value
            self.testbed.run()
            self.testbed.host.delegate = user
            self.testbed.forget()
        }

        /// What is sent when octets of the peer have come on a channel; `HH HH` stands for the handle of the value.
        func answers(_ channel: UInt16, _ octets: String) -> [String] {
            _ = self.testbed.controller.takeData()
            self.testbed.receive(channel, self.named(octets))
            return self.testbed.takePayloads()
        }

        func named(_ octets: String) -> String {
            let name = hex(ByteBuffer(integer: self.handle, endianness: .little))
            return octets.split(separator: "HH HH", omittingEmptySubsequences: false).joined(separator: name)
        }
    }

    @Test("A read and a write that wait for the user are refused, so that the client need not wait for ever")
    func refusals() throws {
        let setup = try Setup(Nobody())
        #expect(setup.answers(4, "0A HH HH") == [setup.named("01 0A HH HH 0E")])
        #expect(setup.answers(4, "12 HH HH AA") == [setup.named("01 12 HH HH 0E")])
        // It has no answer, and is no reason to refuse the next one another way.
        #expect(setup.answers(4, "52 HH HH AA") == [])
        #expect(setup.answers(4, "0A HH HH") == [setup.named("01 0A HH HH 0E")])
    }

    @Test("A write without response is handed to a user who takes requests alone, as one without an identifier")
    func writeCommand() throws {
        let user = WritingDelegate()
        let setup = try Setup(user)
        #expect(setup.answers(4, "52 HH HH AA BB") == [])
        let part = GATTWriteRequest.Part(handle: setup.handle, offset: 0, value: hex("AA BB"))
        #expect(user.requests.map(\.parts) == [[part]])
        #expect(user.requests.first?.id == nil && user.requests.first?.link == setup.link)
        #expect(setup.answers(4, "12 HH HH CC") == [], "the user is to answer it")
        #expect(user.requests.count == 2 && user.requests.last?.id != nil)
    }

    @Test("A channel on an SPSM that is listened on is accepted, and octets that come are given back at once")
    func channel() throws {
        let setup = try Setup(Nobody())
        _ = try setup.testbed.host.listenForChannels(
            spsm: 0x80,
            configuration: L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 1)
        )
        #expect(
            setup.answers(5, "14 01 0A 00 80 00 41 00 40 00 20 00 02 00")
                == ["15 01 0A 00 40 00 40 00 20 00 01 00 00 00"]
        )
        #expect(setup.answers(0x40, "01 00 AA") == ["16 01 04 00 40 00 01 00"])
        #expect(setup.answers(0x40, "01 00 BB") == ["16 02 04 00 40 00 01 00"])
    }

    @Test("A host without a delegate answers nothing for it, and lets a channel be opened")
    func withoutDelegate() throws {
        let setup = try Setup(Nobody())
        setup.testbed.host.delegate = nil
        #expect(setup.answers(4, "0A HH HH") == [])
        _ = try setup.testbed.host.listenForChannels(
            spsm: 0x80,
            configuration: L2CAPChannelConfiguration(mtu: 64, mps: 32, window: 1)
        )
        #expect(
            setup.answers(5, "14 01 0A 00 80 00 41 00 40 00 20 00 02 00")
                == ["15 01 0A 00 40 00 40 00 20 00 01 00 00 00"]
        )
    }
}
