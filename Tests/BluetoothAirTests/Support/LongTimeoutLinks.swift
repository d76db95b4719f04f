// Links whose supervision timeout is long enough for procedures that wait.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Testing

protocol LongTimeoutLinks {}

extension LongTimeoutLinks {
    func parameters(_ interval: UInt16) -> ConnectionParameters {
        ConnectionParameters(
            minimumInterval: ConnectionInterval(rawValue: interval),
            maximumInterval: ConnectionInterval(rawValue: interval),
            supervisionTimeout: 3_200
        )
    }

    /// A link with an interval of 30 ms and a supervision timeout of 32 s.
    func link(_ settings: AirSettings = .instant, isEncrypted: Bool = false) throws -> TestLink {
        let link = try TestLink(AirTestbed(settings), parameters: self.parameters(24))
        guard isEncrypted else { return link }
        self.enable(link)
        link.testbed.pass(.seconds(1))
        link.peripheral.ok(LELongTermKeyRequestReply(handle: link.peripheralHandle, longTermKey: .zero))
        link.testbed.pass(.seconds(1))
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        link.central.events = []
        link.peripheral.events = []
        return link
    }

    func enable(_ link: TestLink) {
        link.central.ok(LEEnableEncryption(handle: link.centralHandle, longTermKey: .zero))
    }
}
