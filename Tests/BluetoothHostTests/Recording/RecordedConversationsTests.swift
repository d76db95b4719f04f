// The choice of a peripheral of a capture, and the messages if there is none.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("RecordedConversations")
struct RecordedConversationsTests {
    @Test("reports the number of devices in a capture without a connection")
    func nobody() {
        let one = Captured.advertisement(Captured.pulse) + Captured.advertisement(Captured.pulse)
        for (packets, heard) in [
            ([], "nobody was heard"), (one, "1 device was heard"),
            (one + Captured.advertisement(Captured.ball), "2 devices were heard"),
        ] {
            #expect(Captured.failure(packets)?.hasPrefix("the capture has no connection (\(heard)): ") == true)
        }
    }

    @Test("chooses the only discovered peripheral if none is named")
    func onlyOne() throws {
        let both = Captured.connection(0x40, Captured.pulse) + Captured.connection(0x41, Captured.ball)
        #expect(try Captured.peripheral(both + Captured.discovery(0x41)).address == Captured.ball)
        for packets in [both, both + Captured.discovery(0x40) + Captured.discovery(0x41)] {
            #expect(
                Captured.failure(packets)
                    == "the capture has conversations with 2 peripherals, choose one: \(Captured.pulse), \(Captured.ball)"
            )
        }
        #expect(
            Captured.failure(Captured.connection(0x40, Captured.pulse))?
                .hasPrefix("the capture has no discovery of the services of \(Captured.pulse): ") == true
        )
    }

    @Test("chooses a peripheral by its name, or by its address in either case")
    func chosen() throws {
        let packets =
            Captured.advertisement(Captured.pulse, Captured.named) + Captured.connection(0x40, Captured.pulse)
            + Captured.discovery(0x40) + Captured.connection(0x41, Captured.ball) + Captured.discovery(0x41)
        for device in ["Pulse", "\(Captured.pulse)", "\(Captured.pulse)".lowercased()] {
            #expect(try Captured.peripheral(packets, device).address == Captured.pulse)
        }
        #expect(try Captured.peripheral(packets, "\(Captured.ball)").address == Captured.ball)
        for device in ["pulse", "local", "link-64", "C0:11:22:33:44:56"] {
            #expect(
                Captured.failure(packets, device)
                    == "the capture has no conversation with \(device); it has \(Captured.pulse) \"Pulse\", "
                    + "\(Captured.ball)"
            )
        }
    }

    @Test("calls this device `local`, and a peer whose connection began before the capture by its link")
    func localAndUnknown() throws {
        let address = DeviceAddress(0x00AA_BBCC_DDEE, kind: .public)
        let packets: Captured.Packets =
            [(CommandComplete.packet(ReadBDADDR.self, .init(address: address)), .toHost, 0)]
            + Captured.connection(0x40, Captured.pulse, .peripheral) + Captured.discovery(0x40, isServed: true)
            + Captured.discovery(0x41)
        for device in ["local", "Local", "\(address)", "\(address)".lowercased()] {
            #expect(try Captured.peripheral(packets, device).address == address)
        }
        #expect(try Captured.peripheral(packets, "link-65").address == nil)
        #expect(
            Captured.failure(packets)
                == "the capture has conversations with 2 peripherals, choose one: local, link-65"
        )
        #expect(Captured.failure(packets, "link-64") != nil && Captured.failure(packets, "\(Captured.pulse)") != nil)
    }

    @Test("removes line breaks from the names of peripherals")
    func lineBreak() {
        let packets =
            Captured.advertisement(Captured.pulse, "04 09 41 0A 42") + Captured.connection(0x40, Captured.pulse)
            + Captured.connection(0x41, Captured.ball)
        #expect(Captured.failure(packets)?.hasSuffix("choose one: \(Captured.pulse) \"AB\", \(Captured.ball)") == true)
    }
}
