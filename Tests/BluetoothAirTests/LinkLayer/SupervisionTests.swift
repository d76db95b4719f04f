import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Supervision")
struct SupervisionTests {
    private static let allSettings = [AirSettings.instant, .realistic]

    /// The supervision timeout of the test links is 720 ms.
    private func expectTimeout(_ link: TestLink, _ number: Int) {
        let (host, handle) = link.ends[number]
        link.testbed.pass(.milliseconds(719))
        #expect(host.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(1))
        #expect(
            host.take(DisconnectionComplete.self) == DisconnectionComplete(handle: handle, reason: .connectionTimeout)
        )
        #expect(host.controller.linkCount == 0)
    }

    @Test("the peer loses a closed controller after the timeout, not before", arguments: allSettings)
    func close(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.close()
        // Packets sent now are never completed.
        link.central.sendData([1], on: link.centralHandle)
        self.expectTimeout(link, 0)
        #expect(link.central.outstanding[link.centralHandle] == 1)
        #expect(link.peripheral.events.isEmpty)
    }

    @Test("HCI Reset drops links without an event or a PDU", arguments: allSettings)
    func reset(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.central.ok(Reset())
        #expect(link.central.controller.linkCount == 0)
        self.expectTimeout(link, 1)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        link.central.setUp()
        let again = try TestLink(link.testbed, central: link.central, peripheral: link.peripheral)
        again.central.sendData([1], on: again.centralHandle)
        link.testbed.pass(.seconds(1))
        #expect(again.peripheral.data.map(\.octets) == [[1]])
    }

    @Test("gives no more time to a device that goes further away", arguments: allSettings)
    func furtherAway(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.distance = .metres(1_000)
        link.testbed.pass(.milliseconds(400))
        link.peripheral.controller.distance = .metres(2_000)
        link.testbed.pass(.milliseconds(319))
        #expect(link.isOpen == [true, true])
        link.testbed.pass(.milliseconds(1))
        #expect(link.reasons == [.connectionTimeout, .connectionTimeout])
    }

    @Test("a device that comes back in time keeps its link, and nothing is lost", arguments: allSettings)
    func back(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.peripheral.controller.distance = .metres(1_000)
        link.central.sendData([1], on: link.centralHandle)
        link.peripheral.sendData([2], on: link.peripheralHandle)
        link.testbed.pass(.milliseconds(700))
        #expect(link.peripheral.data.isEmpty)
        link.peripheral.controller.distance = .metres(2)
        link.testbed.pass(.seconds(5))
        #expect(link.peripheral.data.map(\.octets) == [[1]])
        #expect(link.central.data.map(\.octets) == [[2]])
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        #expect(link.central.outstanding[link.centralHandle] == 0)
    }

    @Test("a device that comes back has the whole timeout again", arguments: 1...5 as ClosedRange<UInt64>)
    func wholeTimeout(seed: UInt64) throws {
        let link = try TestLink(AirTestbed(.realistic, seed: seed))
        link.peripheral.controller.distance = .metres(1_000)
        link.testbed.air.setLoss(0.9)
        link.testbed.pass(.milliseconds(719))
        link.peripheral.controller.distance = .metres(2)
        // The next packets are lost, too.
        link.testbed.pass(.milliseconds(90))
        #expect(link.isOpen == [true, true])
    }

    @Test("an air that loses everything ends all links", arguments: allSettings)
    func drowned(settings: AirSettings) throws {
        let link = try TestLink(AirTestbed(settings))
        link.testbed.air.setLoss(1)
        self.expectTimeout(link, 0)
        #expect(link.peripheral.take(DisconnectionComplete.self)?.reason == .connectionTimeout)
        link.central.ok(LESetScanEnable(isEnabled: true))
        link.peripheral.ok(LESetAdvertisingEnable(isEnabled: true))
        link.testbed.pass(.seconds(1))
        #expect(link.central.reports.isEmpty)
    }

    @Test("both devices may be switched off")
    func bothGone() throws {
        let link = try TestLink(AirTestbed())
        link.central.controller.close()
        link.peripheral.controller.close()
        link.testbed.pass(.seconds(10))
        #expect(link.central.events.isEmpty)
        #expect(link.peripheral.events.isEmpty)
    }

    @Test(
        "gives a silent peer 40 s from the request, even if supervision restarts meanwhile (5.2)",
        arguments: [false, true]
    )
    func withoutAnswer(isEncrypted: Bool) throws {
        let link = try TestLink(longTimeout: .realistic)
        if isEncrypted { link.encrypt() }
        link.peripheral.controller.distance = .metres(10_000)
        link.enableEncryption()
        link.testbed.pass(.seconds(31))
        // In range for a moment, in which no packet arrives.
        link.peripheral.controller.distance = .metres(1)
        link.peripheral.controller.distance = .metres(10_000)
        link.testbed.pass(.milliseconds(8_999))
        #expect(link.reasons == [nil, nil])
        link.testbed.pass(.milliseconds(1))
        #expect(link.reasons == [.linkLayerResponseTimeout, nil])
    }

    @Test("a peer that has answered has 40 s from its answer for its host's key (5.2)")
    func withAnswer() throws {
        let link = try TestLink(longTimeout: .instant)
        link.peripheral.controller.distance = .metres(10_000)
        link.enableEncryption()
        link.testbed.pass(.seconds(10))
        link.peripheral.controller.distance = .metres(1)
        link.testbed.pass(.milliseconds(39_999))
        #expect(link.peripheral.take(LELongTermKeyRequest.self) != nil)
        #expect(link.central.take(DisconnectionComplete.self) == nil)
        link.testbed.pass(.milliseconds(1))
        #expect(link.central.take(DisconnectionComplete.self)?.reason == .linkLayerResponseTimeout)
    }

    @Test("of two procedures that wait, the later one has its own 40 s when the first one is over")
    func twoProcedures() throws {
        let link = try TestLink(AirTestbed())
        link.enableEncryption()
        link.testbed.pass(.seconds(20))
        link.peripheral.ok(
            LEConnectionUpdate(handle: link.peripheralHandle, parameters: ConnectionParameters(interval: 80))
        )
        link.testbed.pass(.seconds(10))
        link.giveKey()
        #expect(link.central.take(EncryptionChange.self)?.encryption == .on)
        #expect(link.central.take(LERemoteConnectionParameterRequest.self) != nil)
        link.testbed.pass(.milliseconds(29_999))
        #expect(link.reasons == [nil, nil])
        link.testbed.pass(.milliseconds(1))
        #expect(link.reasons == [nil, .linkLayerResponseTimeout])
    }
}
