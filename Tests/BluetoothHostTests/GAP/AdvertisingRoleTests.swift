// Extended advertising: the commands for a controller, their parameters, and the handling of refusals.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothHost

@Suite("LEHost: extended commands")
struct LEHostRadioCommandsTests {
    private let peer = HostTestbed.peers[0]

    private func testbed(
        without missing: [any HCICommand.Type] = [],
        features: LEFeatures = [.extendedAdvertising, .phy2M, .phyCoded],
        address: DeviceAddress? = nil
    ) -> HostTestbed {
        let testbed = HostTestbed(LEHostConfiguration(address: address))
        testbed.controller.features = features
        testbed.controller.listsCommands(without: missing)
        testbed.start()
        return testbed
    }

    private func useEverything(_ testbed: HostTestbed) -> Set<HCIOpcode> {
        testbed.host.startAdvertising(AdvertisingParameters(data: hex("02 01 06"))) { _ in }
        testbed.host.startScanning(ScanParameters())
        testbed.host.connect(to: self.peer)
        testbed.run()
        testbed.controller.connect(0x40, peer: self.peer, role: .central)
        testbed.run()
        testbed.host.stopAdvertising()
        testbed.host.stopScanning()
        testbed.run()
        return Set(testbed.controller.takeCommands())
    }

    @Test(
        "sends no legacy command to a controller that has all extended ones, and no extended one to another controller"
    )
    func oneForm() {
        let legacy: Set<HCIOpcode> = [
            LESetAdvertisingParameters.opcode, LESetAdvertisingData.opcode, LESetScanResponseData.opcode,
            LESetAdvertisingEnable.opcode, LESetScanParameters.opcode, LESetScanEnable.opcode,
            LECreateConnection.opcode,
        ]
        let extended = Set(ExtendedCommands.needed.map { $0.opcode })
        let whole = self.testbed(address: DeviceAddress(0xC0DE_0000_0001, kind: .random))
        #expect(whole.host.hasExtendedAdvertising)
        let used = self.useEverything(whole)
        #expect(used.isDisjoint(with: legacy) && used.isSuperset(of: extended))
        for missing in ExtendedCommands.needed {
            let testbed = self.testbed(without: [missing])
            #expect(!testbed.host.hasExtendedAdvertising)
            let used = self.useEverything(testbed)
            #expect(used.isSuperset(of: legacy) && used.isDisjoint(with: extended), "\(missing)")
        }
        #expect(!self.testbed(features: []).host.hasExtendedAdvertising)
    }

    @Test("scans and connects on LE 1M, and on the other PHYs of the controller", arguments: [true, false])
    func phys(hasPHYs: Bool) throws {
        let testbed = self.testbed(
            features: hasPHYs ? [.extendedAdvertising, .phy2M, .phyCoded] : .extendedAdvertising
        )
        testbed.host.startScanning(
            ScanParameters(isActive: true, interval: .milliseconds(60), window: .milliseconds(30))
        )
        testbed.host.connect(to: self.peer)
        testbed.run()
        let scan = try testbed.controller.last(LESetExtendedScanParameters.self)
        #expect(scan.phys == (hasPHYs ? [.le1M, .leCoded] : .le1M))
        #expect(scan.le1M?.type == .active && scan.le1M?.interval.rawValue == 96 && scan.le1M?.window.rawValue == 48)
        let create = try testbed.controller.last(LEExtendedCreateConnection.self)
        #expect(create.phys == (hasPHYs ? [.le1M, .le2M, .leCoded] : .le1M))
        #expect(create.peer == self.peer && create.le1M?.parameters == .initial)
    }

    @Test(
        "advertises in legacy PDUs by default, with the data that each kind can have (Vol 4, Part E, 7.8.53)",
        arguments: [
            (AdvertisingParameters(data: hex("02 01 06")), [.legacy, .connectable, .scannable], true, true),
            (AdvertisingParameters(data: hex("02 01 06"), isConnectable: false), .legacy, true, false),
            (
                AdvertisingParameters(data: hex("02 01 06"), scanResponse: hex("02 0A 00"), isConnectable: false),
                [.legacy, .scannable], true, true
            ),
            (
                AdvertisingParameters(data: hex("02 01 06"), directedTo: HostTestbed.peers[0]),
                [.legacy, .connectable, .directed], false, false
            ),
            (
                AdvertisingParameters(data: hex("02 01 06"), pdus: .extended(primary: .leCoded, secondary: .le2M)),
                .connectable, true, false
            ),
            (
                AdvertisingParameters(
                    data: hex("02 01 06"),
                    isConnectable: false,
                    pdus: .extended(primary: .le1M, secondary: .le2M)
                ), [], true, false
            ),
        ] as [(AdvertisingParameters, AdvertisingEventProperties, Bool, Bool)]
    )
    func advertising(
        parameters: AdvertisingParameters,
        properties: AdvertisingEventProperties,
        hasData: Bool,
        hasResponse: Bool
    ) throws {
        let testbed = self.testbed()
        var isStarted = false
        testbed.host.startAdvertising(parameters) { if case .success = $0 { isStarted = true } }
        testbed.run()
        #expect(isStarted)
        let command = try testbed.controller.last(LESetExtendedAdvertisingParameters.self)
        #expect(command.properties == properties)
        if case .extended(let primary, let secondary) = parameters.pdus {
            #expect(command.primaryPHY == primary && command.secondaryPHY == secondary)
        }
        let commands = testbed.controller.takeCommands()
        #expect(commands.contains(LESetExtendedAdvertisingData.opcode) == hasData)
        #expect(commands.contains(LESetExtendedScanResponseData.opcode) == hasResponse)
    }

    @Test(
        "advertises the power that the controller reports, behind the data, and none if it does not know it",
        arguments: [true, false]
    )
    func txPower(isExtended: Bool) throws {
        var parameters = AdvertisingParameters(data: hex("02 01 06"))
        parameters.includesTxPower = true
        let testbed = self.testbed(features: isExtended ? .extendedAdvertising : [])
        func data() throws -> ByteBuffer {
            testbed.host.startAdvertising(parameters) { _ in }
            testbed.run()
            return isExtended
                ? try testbed.controller.last(LESetExtendedAdvertisingData.self).data
                : try testbed.controller.last(LESetAdvertisingData.self).data
        }
        #expect(try data() == hex("02 01 06 02 0A 00"))
        parameters.includesTxPower = false
        #expect(try data() == hex("02 01 06"))
        let asked = testbed.controller.takeCommands().count { $0 == LEReadAdvertisingChannelTxPower.opcode }
        #expect(asked == (isExtended ? 0 : 1))
        guard !isExtended else { return }
        parameters.includesTxPower = true
        testbed.controller.refused[LEReadAdvertisingChannelTxPower.opcode] = .unknownCommand
        #expect(try data() == hex("02 01 06"))
    }

    @Test("sends the legacy command each time that the controller refuses the extended one and accepts the legacy one")
    func claimed() {
        let parts: [(HCIOpcode, HCIOpcode)] = [
            (LESetExtendedAdvertisingParameters.opcode, LESetAdvertisingParameters.opcode),
            (LESetExtendedScanParameters.opcode, LESetScanParameters.opcode),
            (LESetExtendedScanEnable.opcode, LESetScanEnable.opcode),
            (LEExtendedCreateConnection.opcode, LECreateConnection.opcode),
        ]
        for (extended, legacy) in parts {
            let testbed = self.testbed()
            testbed.controller.mixesCommandFamilies = true
            testbed.controller.refused[extended] = .unknownCommand
            #expect(self.useEverything(testbed).isSuperset(of: [extended, legacy]))
            #expect(testbed.delegate.takeLines().first == "connected \(self.peer) central")
            testbed.controller.disconnect(0x40, reason: .remoteUserTerminated)
            testbed.controller.refused = [:]
            let later = self.useEverything(testbed)
            #expect(later.contains(extended) && !later.contains(legacy))
        }
    }

    @Test("reports the refusal of the extended command if both are refused, and does not change the commands")
    func refused() {
        let testbed = self.testbed()
        testbed.controller.refused = [
            LEExtendedCreateConnection.opcode: .connectionLimitExceeded, LECreateConnection.opcode: .commandDisallowed,
        ]
        testbed.host.connect(to: self.peer)
        testbed.run()
        #expect(testbed.delegate.takeLines() == ["failed \(self.peer) 9"])
        #expect(testbed.host.hasExtendedAdvertising)
    }

    @Test("refuses extended PDUs if the controller has none")
    func withoutExtendedPDUs() {
        let testbed = HostTestbed.started()
        var failure: LEHostError?
        let pdus = AdvertisingParameters.PDUs.extended(primary: .le1M, secondary: .le2M)
        testbed.host.startAdvertising(AdvertisingParameters(data: hex("02 01 06"), pdus: pdus)) {
            if case .failure(let error) = $0 { failure = error }
        }
        testbed.run()
        #expect(failure == .refused(.unsupportedFeature))
    }
}
