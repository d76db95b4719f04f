import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@Suite("Determinism")
struct DeterminismTests {
    /// Many devices: five centrals, five peripherals, loss, encryption, disconnections.
    private func trace(_ settings: AirSettings, seed: UInt64) throws -> [String] {
        let testbed = AirTestbed(settings, seed: seed)
        let peripherals = (0..<5).map { _ in testbed.host() }
        let centrals = (0..<5).map { _ in testbed.host() }
        for host in peripherals + centrals { host.keepsTrace = true }
        for peripheral in peripherals { peripheral.advertise(interval: 0x30) }
        for central in centrals {
            central.scan(type: .active)
            for peripheral in peripherals {
                central.ok(LEAddDeviceToFilterAcceptList(entry: .device(peripheral.controller.address)))
            }
            central.ok(TestHost.createConnection(to: .none, filterPolicy: .acceptList))
        }
        testbed.pass(.seconds(2))
        for central in centrals {
            guard let event = central.take(LEConnectionComplete.self) else { continue }
            for value in 0..<10 { central.sendData([UInt8(value)], on: event.handle) }
            central.send(LEEnableEncryption(handle: event.handle, longTermKey: .zero))
            central.send(LERand())
        }
        testbed.pass(.seconds(2))
        for peripheral in peripherals {
            guard let event = peripheral.take(LELongTermKeyRequest.self) else { continue }
            peripheral.send(LELongTermKeyRequestReply(handle: event.handle, longTermKey: .zero))
            peripheral.sendData([1, 2, 3], on: event.handle)
        }
        testbed.pass(.seconds(1))
        centrals[0].controller.close()
        testbed.pass(.seconds(2))
        return (peripherals + centrals).flatMap { ["--"] + $0.trace }
    }

    @Test(
        "two runs are equal, octet for octet",
        arguments: [AirSettings.instant, .realistic, AirSettings(hasAirTime: true, loss: 0.3)]
    )
    func equalRuns(settings: AirSettings) throws {
        let first = try self.trace(settings, seed: 42)
        #expect(first.count > 200)
        #expect(try self.trace(settings, seed: 42) == first)
        #expect(try self.trace(settings, seed: 43) != first)
    }
}
