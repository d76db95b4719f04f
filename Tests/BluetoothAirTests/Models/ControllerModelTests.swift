import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Models of controllers")
struct ControllerModelTests {
    private typealias Number = WritableKeyPath<ControllerModel, Int>

    /// A typical controller with a change.
    private static func model(_ change: (inout ControllerModel) -> Void) -> ControllerModel {
        var model = ControllerModel()
        change(&model)
        return model
    }

    @Test("each number stays within its range, by itself")
    func ranges() {
        let numbers: [(Number, ClosedRange<Int>, Int)] = [
            (\.aclDataPacketLength, 27...1_024, 251), (\.aclDataPacketCount, 1...255, 64),
            (\.maximumLinkCount, 1...1_024, 128), (\.commandCredits, 1...255, 4), (\.filterAcceptListSize, 1...255, 64),
            (\.resolvingListSize, 0...255, 64), (\.advertisingSetCount, 1...240, 16),
            (\.maximumAdvertisingDataLength, 31...1_650, 1_650),
        ]
        for (number, range, usual) in numbers {
            let (first, last) = (range.lowerBound, range.upperBound)
            #expect(ControllerModel()[keyPath: number] == usual)
            for (value, taken) in [
                (first - 1, first), (first, first), (first + 1, first + 1), (last - 1, last - 1), (last, last),
                (last + 1, last), (.min, first), (.max, last),
            ] {
                let model = Self.model { $0[keyPath: number] = value }.clamped
                #expect(model == Self.model { $0[keyPath: number] = taken }.clamped)
                #expect(model[keyPath: number] == taken)
            }
        }
        #expect(Self.model { $0.firstHandle = .max }.clamped.firstHandle == 0x0EFF)
    }

    @Test("reports its limits to the host and keeps to them")
    func told() {
        let testbed = AirTestbed()
        let host = testbed.host(configuration: .small)
        #expect(host.run(LEReadBufferSize())?.aclDataPacketLength == 27)
        #expect(host.run(LEReadBufferSize())?.aclDataPacketCount == 3)
        #expect(host.run(LEReadBufferSizeV2())?.aclDataPacketCount == 3)
        #expect(host.run(ReadBufferSize())?.aclDataPacketCount == 3)
        #expect(host.run(LEReadFilterAcceptListSize())?.size == 2)
        #expect(host.run(LEReadResolvingListSize())?.size == 2)
        #expect(host.run(LEReadNumberOfSupportedAdvertisingSets())?.count == 2)
    }

    @Test(
        "every preset identifies itself, and supports the commands that it lists",
        arguments: ControllerModel.presets
    )
    func preset(model: ControllerModel) throws {
        let testbed = AirTestbed()
        let host = TestHost(testbed, testbed.air.makeController(configuration: .init(model: model)))
        host.send(Reset())
        testbed.pass(.seconds(1))
        #expect(host.take(CommandComplete.self)?.opcode == Reset.opcode)
        let version = try #require(host.run(ReadLocalVersionInformation()))
        #expect((version.hciVersion, version.company) == (model.version, model.company))
        #expect((version.hciSubversion, version.linkLayerSubversion) == (model.revision, model.subversion))
        #expect(host.run(ReadLocalSupportedCommands())?.commands == model.commands)
        #expect(host.run(LEReadLocalSupportedFeatures())?.features == model.clamped.features)
        #expect(host.run(LEReadSupportedStates())?.states == model.states)
        #expect(host.run(LEReadFilterAcceptListSize())?.size == UInt8(model.filterAcceptListSize))
        let address = try #require(host.run(ReadBDADDR())?.address)
        #expect(model.address == nil ? address.value != 0 : address == model.address)
        #expect(host.run(ReadBufferSize())?.status == (model.isDualMode ? .success : .unknownCommand))
        if !model.commands.contains(LESetExtendedScanEnable.self) {
            host.refused(LESetExtendedScanEnable(isEnabled: true, filterDuplicates: .off), .unknownCommand)
        }
    }

    @Test("the presets are different models with different names")
    func names() {
        #expect(ControllerModel.presets.count == 17)
        #expect(Set(ControllerModel.presets.map(\.name)).count == 17)
        #expect(Set(ControllerModel.presets.map { "\($0.version) \($0.company) \($0.subversion)" }).count == 17)
    }

    @Test("recognizes a chip by its identification, though a patch has changed its version")
    func known() {
        for model in ControllerModel.presets {
            let found = ControllerModel.preset(
                version: model.version,
                company: model.company,
                subversion: model.subversion
            )
            #expect(found == model)
        }
        #expect(ControllerModel.preset(version: .v4_1, company: 15, subversion: 0x6119) == .raspberryPi3BPlus)
        #expect(ControllerModel.preset(version: .v5_1, company: 2, subversion: 0x0100) == nil)
        #expect(ControllerModel.preset(version: .v5_4, company: 0xFFFF, subversion: 1) == nil)
    }

    @Test("shared buffers have no numbers of their own")
    func sharedBuffers() {
        let host = AirTestbed().host(configuration: .init(model: .csr8510))
        #expect(host.run(LEReadBufferSize())?.aclDataPacketCount == 0)
        #expect(host.run(LEReadBufferSize())?.aclDataPacketLength == 0)
        #expect(host.run(ReadBufferSize())?.aclDataPacketLength == 310)
        #expect(host.run(ReadBufferSize())?.aclDataPacketCount == 10)
    }

    @Test("refuses a listed command, and never answers another one")
    func listedCommands() {
        let testbed = AirTestbed()
        let model = Self.model {
            $0.refusedCommands = [SetEventMaskPage2.opcode]
            $0.unansweredCommands = [LERand.opcode]
        }
        let host = testbed.host(configuration: .init(model: model))
        #expect(host.run(ReadLocalSupportedCommands())?.commands.contains(SetEventMaskPage2.self) == true)
        host.refused(SetEventMaskPage2(mask: .initial), .unknownCommand)
        host.send(LERand())
        testbed.pass(.seconds(60))
        #expect(host.events.isEmpty)
    }

    @Test("rejects excluded combinations of roles in either order, until the first role has ended")
    func roles() throws {
        let testbed = AirTestbed()
        let model = Self.model {
            $0.excludedRoles = [
                [.advertising, .scanning], [.scanning, .initiating], [.advertising, .initiating],
                [.advertising, .peripheral],
            ]
        }
        let (host, peer) = (testbed.host(configuration: .init(model: model)), testbed.host())
        let scan = LESetScanEnable(isEnabled: true, filterDuplicates: .off)
        let connect = TestHost.createConnection(to: peer.controller.address)
        host.advertise()
        host.refused(scan, .commandDisallowed)
        host.refused(connect, .commandDisallowed)
        host.ok(LESetAdvertisingEnable(isEnabled: false))
        host.ok(scan)
        host.refused(LESetAdvertisingEnable(isEnabled: true), .commandDisallowed)
        host.refused(connect, .commandDisallowed)
        host.ok(LESetScanEnable(isEnabled: false, filterDuplicates: .off))
        host.ok(connect)
        host.refused(scan, .commandDisallowed)
        host.ok(LECreateConnectionCancel())
        let link = try TestLink(testbed, central: peer, peripheral: host)
        host.refused(LESetAdvertisingEnable(isEnabled: true), .commandDisallowed)
        host.ok(scan)
        peer.ok(Disconnect(handle: link.centralHandle, reason: .remoteUserTerminated))
        testbed.pass(.seconds(1))
        host.ok(LESetScanEnable(isEnabled: false, filterDuplicates: .off))
        host.ok(LESetAdvertisingEnable(isEnabled: true))
    }

    @Test("refuses an own public address that is zero")
    func noAddress() {
        let host = AirTestbed().host(configuration: .init(model: .zephyr))
        host.ok(LESetAdvertisingParameters(type: .connectableUndirected))
        host.refused(LESetAdvertisingEnable(isEnabled: true), .invalidParameters)
    }

    @Test("the first link ends with 0x3E after six of its intervals, and the second one stays")
    func firstLinkFails() throws {
        let testbed = AirTestbed()
        let central = testbed.host(configuration: .init(model: Self.model { $0.quirks = .firstLinkFails }))
        let peripheral = testbed.host()
        for isFirst in [true, false] {
            peripheral.advertise()
            central.ok(TestHost.createConnection(to: peripheral.controller.address))
            testbed.pass(.milliseconds(150))
            let handle = try #require(central.take(LEConnectionComplete.self)).handle
            central.sendData([0, 0, 4, 0], on: handle)
            testbed.pass(.milliseconds(200))
            let reason: HCIErrorCode? = isFirst ? .connectionFailedToBeEstablished : nil
            #expect(central.take(DisconnectionComplete.self)?.reason == reason)
            #expect(peripheral.take(DisconnectionComplete.self)?.reason == reason)
            #expect(peripheral.data.isEmpty == isFirst)
        }
    }

    @Test("delivers data before the event of its link if events are slower")
    func eventDelay() {
        let testbed = AirTestbed()
        let slow = Self.model { $0.eventDelay = .milliseconds(10) }
        let host = TestHost(testbed, testbed.air.makeController(configuration: .init(model: slow)))
        for packet in [
            SetEventMask(mask: EventMask(rawValue: .max)).packet(),
            LESetEventMask(mask: TestHost.usualEvents).packet(),
            LESetAdvertisingParameters(type: .connectableUndirected).packet(),
            LESetAdvertisingEnable(isEnabled: true).packet(),
        ] { host.send(packet) }
        testbed.pass(.milliseconds(20))
        var order: [HCIPacket.Kind] = []
        host.events = []
        host.onPacket = { order.append($0.kind) }
        let central = testbed.host()
        central.onPacket = { packet in
            guard case .leConnectionComplete(let event)? = try? HCIEvent(packet) else { return }
            testbed.loop.execute { central.sendData([3, 0, 4, 0, 2, 0xB9, 0], on: event.handle) }
        }
        central.ok(TestHost.createConnection(to: host.controller.address))
        testbed.pass(.seconds(2))
        #expect(order.prefix(2) == [.aclData, .event])
        #expect(host.take(LEConnectionComplete.self)?.handle == host.data.first?.handle)
    }

    @Test("answers HCI Reset late, each of them")
    func slowReset() {
        let testbed = AirTestbed()
        let slow = Self.model { $0.resetDelay = .milliseconds(500) }
        let host = TestHost(testbed, testbed.air.makeController(configuration: .init(model: slow)))
        host.send(Reset())
        testbed.pass(.milliseconds(400))
        host.send(Reset())
        #expect(host.events.isEmpty)
        testbed.pass(.milliseconds(100))
        #expect(host.takeAll(CommandComplete.self).count == 1)
        testbed.pass(.milliseconds(400))
        #expect(host.takeAll(CommandComplete.self).count == 1)
    }

    @Test(
        "a chip without its firmware reports nothing while it scans passively",
        arguments: [ScanType.passive, .active]
    )
    func silentScan(type: ScanType) {
        let testbed = AirTestbed()
        let host = testbed.host(configuration: .init(model: .rtl8761bWithoutFirmware))
        let peer = testbed.host()
        peer.advertise()
        host.scan(type: type)
        testbed.pass(.seconds(1))
        #expect(host.reports.isEmpty == (type == .passive) && peer.events.isEmpty)
    }

    @Test("refuses extended scanning beside a link, and scans by the legacy commands then")
    func extendedScanning() throws {
        let testbed = AirTestbed()
        let host = testbed.host(configuration: .init(model: .rtl8761b))
        host.extendedScan()
        host.ok(LESetExtendedScanEnable(isEnabled: false, filterDuplicates: .off))
        _ = try TestLink(testbed, central: host)
        host.refused(
            LESetExtendedScanParameters(ownAddressType: .public, le1M: .init(type: .passive), leCoded: nil),
            .commandDisallowed
        )
        host.scan()
    }

    @Test("accepts and ignores extended commands, while legacy ones work")
    func ignoredCommands() throws {
        let testbed = AirTestbed()
        let model = Self.model { $0.quirks = [.mixesCommandFamilies, .ignoresExtendedCommands] }
        let (host, peer) = (testbed.host(configuration: .init(model: model)), testbed.host())
        let set = AdvertisingHandle(rawValue: 0)
        peer.advertise()
        peer.scan()
        host.extendedScan()
        host.ok(LESetExtendedAdvertisingParameters(advertisingHandle: set, properties: [.legacy]))
        host.ok(LESetExtendedAdvertisingEnable(isEnabled: true, sets: [.init(handle: set)]))
        let interval = ExtendedScanInterval(rawValue: 0x10)
        host.ok(
            LEExtendedCreateConnection(
                peer: peer.controller.address,
                le1M: .init(scanInterval: interval, scanWindow: interval, parameters: TestHost.parameters)
            )
        )
        testbed.pass(.seconds(1))
        #expect(host.events.isEmpty && peer.events.isEmpty)
        host.ok(LESetExtendedScanEnable(isEnabled: false, filterDuplicates: .off))
        host.scan()
        testbed.pass(.seconds(1))
        #expect(!host.reports.isEmpty)
    }

    @Test("a chip without long packets and fast PHYs keeps to 27 octets and LE 1M, whatever its peer wants")
    func features() throws {
        let testbed = AirTestbed()
        let chip = testbed.host(configuration: .init(model: .csr8510))
        let peer = testbed.host()
        peer.ok(LEWriteSuggestedDefaultDataLength(transmitOctets: 251, transmitTime: 2_120))
        let link = try TestLink(testbed, central: peer, peripheral: chip)
        peer.ok(LESetPHY(handle: link.centralHandle, preference: .init(transmitter: .le2M, receiver: .le2M)))
        testbed.pass(.seconds(1))
        #expect(peer.take(LEPHYUpdateComplete.self)?.transmitter == .le1M)
        #expect(peer.take(LEDataLengthChange.self) == nil)
        peer.ok(LEReadRemoteFeatures(handle: link.centralHandle))
        testbed.pass(.seconds(1))
        #expect(peer.take(LEReadRemoteFeaturesComplete.self)?.features == .encryption)
    }
}
