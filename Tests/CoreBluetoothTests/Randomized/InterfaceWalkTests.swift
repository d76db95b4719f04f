// Walks through the whole interface: apps on two devices call everything with every option, and a foreign peripheral
// refuses, changes and leaves. Whatever packets pass and whatever the apps are told is on record.

import BluetoothAir
import BluetoothHCI
import BluetoothTypes
import Fixtures
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth
@testable import CoreBluetoothTesting

/// One walk; equal seeds give equal walks.
private final class InterfaceWalk {
    private let testbed: Testbed
    private var chance: Chance
    private let devices: [WalkDevice]
    private let foreign: ForeignPeripheral
    private var step = 0
    private(set) var connections = 0
    private(set) var values = 0

    init(seed: UInt64) {
        var chance = Chance(seed: seed)
        let testbed = Testbed(settings: seed.isMultiple(of: 3) ? .realistic : .instant, seed: seed)
        let descriptors: [(type: UInt16, value: [UInt8])] = [
            (0x2902, [0, 0]), (0x2901, Array("beat".utf8)), (0x2900, [1, 0]), (0x2904, [4, 0, 0, 0x27, 1, 0, 0]),
        ]
        self.testbed = testbed
        self.foreign = ForeignPeripheral(in: testbed, ForeignPeripheral.heart(descriptors: descriptors))
        let shown = NIOLockedValueBox("000000")
        var devices: [WalkDevice] = []
        for (number, name) in ["Crystal", "Curious"].enumerated() {
            var configuration = BluetoothAdapter.Configuration(
                deviceName: chance.pick([nil, "A device with a long name"]),
                identity: name,
                preferredMTU: chance.pick([23, 24, 100, 247, 517]),
                permitsSystemServices: chance.once(in: 2),
                controllerToHostFlowControl: chance.pick([nil, true, false])
            )
            configuration.permitsManufacturerData = chance.once(in: 2)
            configuration.permitsPairing = chance.below(4) > 0
            configuration.requiresPairing = chance.once(in: 4)
            configuration.losesOverrunningWrites = chance.once(in: 3)
            if chance.once(in: 3) { configuration.privacy = .init(rotationInterval: .seconds(60)) }
            if chance.below(3) > 0 {
                let all: [PairingCapabilities] = [
                    .none, .display, .displayAndConfirm, .keyboard, .keyboardAndDisplay,
                ]
                configuration.pairingAgent = WalkUser(name, chance.pick(all), seed: chance.next(), shown: shown)
            }
            devices.append(
                WalkDevice(
                    name,
                    in: testbed,
                    configuration,
                    modes: chance.pick([[], [.central], [.peripheral], [.central, .peripheral]]),
                    isRestored: number == 0 || chance.once(in: 2)
                )
            )
        }
        self.chance = chance
        self.devices = devices
        for device in self.devices {
            device.choose = { [unowned self] in self.chance.below($0) }
            device.launch(inBackground: false)
        }
        self.testbed.run(.milliseconds(50))
        for publisher in self.devices.flatMap(\.publishers) { publisher.manager.add(publisher.services[0]) }
        self.advertise(self.devices[0].publishers[0])
    }

    func run(steps: Int) {
        for _ in 0..<steps {
            self.step += 1
            let number = self.chance.below(100)
            RunRecord.note("step \(self.step) \(number)")
            let device = self.chance.pick(self.devices)
            switch number {
            case 0..<52: if device.application.isRunning { self.act(self.chance.pick(device.centrals)) }
            case 52..<78: if device.application.isRunning { self.act(self.chance.pick(device.publishers)) }
            case 78..<90: self.act(device)
            case 90..<97: self.act(self.foreign)
            default: self.use(device.centrals.flatMap(\.users) + device.publishers.flatMap(\.users))
            }
            switch self.chance.below(20) {
            case 0..<8: self.testbed.loop.run()
            case 8..<17: self.testbed.run(.milliseconds(Int64(self.chance.below(300))))
            case 17, 18: self.testbed.run(.milliseconds(Int64(self.chance.below(3_000))))
            default: self.testbed.run(.milliseconds(Int64(self.chance.below(35_000))))
            }
            self.note()
            if self.step.isMultiple(of: 10) { for device in self.devices { device.noteStorage() } }
        }
        for central in self.devices.flatMap(\.centrals) {
            self.connections += central.connections
            self.values += central.values
        }
        for device in self.devices { device.stop() }
        self.testbed.run(.seconds(1))
    }

    /// What apps can see at any time.
    private func note() {
        for device in self.devices {
            for central in device.centrals {
                RunRecord.note(
                    "\(self.step) \(central.name) \(central.manager.state.rawValue) \(central.manager.isScanning)"
                )
                for peripheral in central.known { RunRecord.note("\(self.step) \(noted(peripheral))") }
            }
            for publisher in device.publishers {
                RunRecord.note(
                    "\(self.step) \(publisher.name) \(publisher.manager.state.rawValue) "
                        + "\(publisher.manager.isAdvertising)"
                )
                for central in publisher.centrals { RunRecord.note("\(self.step) \(withoutAddresses("\(central)"))") }
                for service in publisher.services { RunRecord.note("\(self.step) \(noted(service))") }
            }
            for user in device.centrals.flatMap(\.users) + device.publishers.flatMap(\.users) {
                RunRecord.note(
                    """
                    \(self.step) \(user.received) \(user.written) \(user.inputEvents) \(user.outputEvents) \
                    \(user.input.streamStatus.rawValue) \(user.output.streamStatus.rawValue)
                    """
                )
                #expect(user.isUnchanged)
            }
        }
    }

    // MARK: Devices

    private func act(_ device: WalkDevice) {
        switch self.chance.below(20) {
        case 0: device.application.enterBackground()
        case 1: device.application.suspend()
        case 2...4: device.application.enterForeground()
        case 5: device.end(bySystem: true)
        case 6: if self.chance.once(in: 3) { device.end(bySystem: false) }
        case 7...9: device.launch(inBackground: self.chance.once(in: 3))
        case 10:
            device.application.authorization =
                self.chance.once(in: 2) ? .allowedAlways : self.chance.pick([.denied, .restricted, .notDetermined])
        case 11: device.application.authorization = .allowedAlways
        case 12: device.adapter.setPowered(false)
        case 13, 14: device.adapter.setPowered(true)
        case 15: device.source.breakChannel()
        case 16: device.storage.isFailing.withLockedValue { $0.toggle() }
        case 17: device.adapter.holdCallbacks(for: .milliseconds(Int64(self.chance.below(3_000))))
        case 18: device.restart(byExit: self.chance.once(in: 2))
        default:
            let refusals: [HCIOpcode: HCIErrorCode] = [
                LESetAdvertisingData.opcode: HCIErrorCode(rawValue: self.chance.pick([0x07, 0x0D, 0x11, 0x12, 0x1F])),
                LESetScanEnable.opcode: HCIErrorCode(rawValue: 0x0C),
                ReadRSSI.opcode: HCIErrorCode(rawValue: self.chance.pick([0x02, 0x1F])),
            ]
            let opcode = self.chance.pick([LESetAdvertisingData.opcode, LESetScanEnable.opcode, ReadRSSI.opcode])
            device.source.refused = self.chance.once(in: 2) ? [:] : [opcode: refusals[opcode] ?? .unspecifiedError]
        }
    }

    private func act(_ foreign: ForeignPeripheral) {
        switch self.chance.below(6) {
        case 0: foreign.push([0x1B, 0x03, 0x00] + self.chance.octets(self.chance.below(20)))
        case 1: foreign.push([0x1D, 0x03, 0x00] + self.chance.octets(self.chance.below(20)))
        case 2: foreign.disconnect(HCIErrorCode(rawValue: self.chance.pick([0x13, 0x15, 0x08, 0x05])))
        case 3:
            let code = self.chance.pick([0x01, 0x02, 0x05, 0x0A, 0x0E, 0x0F, 0x12, 0x80])
            let every = 1 + self.chance.below(4)
            var count = 0
            foreign.onRequest = { request in
                count += 1
                guard count.isMultiple(of: every), request[0] != 0x02, request.count > 2 else { return nil }
                return [0x01, request[0], request[1], request[2], UInt8(code)]
            }
        case 4: if self.chance.once(in: 4) { foreign.onRequest = { _ in [] } }
        default: foreign.onRequest = { _ in nil }
        }
    }

    private func use(_ users: [StreamUser]) {
        guard !users.isEmpty else { return }
        let user = self.chance.pick(users)
        switch self.chance.below(6) {
        case 0: user.close()
        case 1: user.channel = nil
        case 2: user.reads.toggle()
        case 3: user.read(atMost: self.chance.below(5_000))
        default: user.write(1 + self.chance.below(20_000))
        }
    }

    // MARK: Centrals

    private func act(_ central: WalkCentral) {
        guard let manager = central.manager else { return }
        switch self.chance.below(16) {
        case 0...2:
            var options: [String: Any] = [:]
            if self.chance.once(in: 3) {
                options[CBCentralManagerScanOptionAllowDuplicatesKey] = self.chance.once(in: 2)
            }
            if self.chance.once(in: 4) {
                options[CBCentralManagerScanOptionSolicitedServiceUUIDsKey] = [CBUUID(string: "1812")]
            }
            manager.scanForPeripherals(
                withServices: self.chance.pick([nil, [], [IDs.service], [IDs.other, CBUUID(string: "180D")]]),
                options: options
            )
        case 3: manager.stopScan()
        case 4:
            let services = self.chance.pick([[], [IDs.service], [CBUUID(string: "1800")], [CBUUID(string: "180D")]])
            for peripheral in manager.retrieveConnectedPeripherals(withServices: services) { central.keep(peripheral) }
            for peripheral in manager.retrievePeripherals(withIdentifiers: central.known.map(\.identifier)) {
                central.keep(peripheral)
            }
        case 5:
            let all: [CBConnectionEventMatchingOption: Any] = [
                .serviceUUIDs: [IDs.service, CBUUID(string: "180D")], .peripheralUUIDs: central.known.map(\.identifier),
            ]
            let kept: [CBConnectionEventMatchingOption] = self.chance.pick([
                [.serviceUUIDs], [.peripheralUUIDs], [.serviceUUIDs, .peripheralUUIDs],
            ])
            manager.registerForConnectionEvents(
                options: self.chance.once(in: 4) ? nil : all.filter { kept.contains($0.key) }
            )
        case 6: if self.chance.once(in: 3), !central.known.isEmpty { central.known.removeFirst() }
        default:
            guard !central.known.isEmpty else { return manager.scanForPeripherals(withServices: nil) }
            self.act(central, self.chance.pick(central.known))
        }
    }

    private func act(_ central: WalkCentral, _ peripheral: CBPeripheral) {
        guard peripheral.state == .connected, !self.chance.once(in: 14) else {
            guard !self.chance.once(in: 6) else { return central.manager.cancelPeripheralConnection(peripheral) }
            guard !self.chance.once(in: 12) else { return self.use(peripheral) }
            var options: [String: Any] = [:]
            for key in [
                CBConnectPeripheralOptionEnableAutoReconnect, CBConnectPeripheralOptionNotifyOnConnectionKey,
                CBConnectPeripheralOptionNotifyOnDisconnectionKey, CBConnectPeripheralOptionNotifyOnNotificationKey,
            ] where self.chance.once(in: 4) {
                options[key] = self.chance.below(4) > 0
            }
            if self.chance.once(in: 8) {
                options[CBConnectPeripheralOptionStartDelayKey] = self.chance.pick([0, 0.5, 2])
            }
            return central.manager.connect(peripheral, options: options)
        }
        for _ in 0...self.chance.below(3) { self.use(peripheral) }
    }

    /// Something with a peripheral and, where they are known, its attributes.
    private func use(_ peripheral: CBPeripheral) {
        let services = peripheral.services ?? []
        guard !services.isEmpty, !self.chance.once(in: 10) else {
            return peripheral.discoverServices(
                self.chance.pick([nil, nil, [], [IDs.service], [CBUUID(string: "180D"), IDs.other]])
            )
        }
        let service = self.chance.pick(services)
        let characteristics = service.characteristics ?? []
        guard !characteristics.isEmpty, !self.chance.once(in: 10) else {
            if self.chance.once(in: 4) {
                return peripheral.discoverIncludedServices(
                    self.chance.pick([nil, [IDs.service], [IDs.other]]),
                    for: service
                )
            }
            let wanted = self.chance.pick([nil, nil, [], [IDs.answer], [IDs.other, IDs.question]])
            return peripheral.discoverCharacteristics(wanted, for: service)
        }
        let characteristic = self.chance.pick(characteristics)
        let descriptors = characteristic.descriptors ?? []
        switch self.chance.below(14) {
        case 0, 1: peripheral.readValue(for: characteristic)
        case 2, 3:
            let count = self.chance.pick([0, 1, 20, 21, 100, 510, 512, 513])
            peripheral.writeValue(self.chance.data(count), for: characteristic, type: .withResponse)
        case 4, 5:
            let count = self.chance.pick([1, 10, 70, 130])
            for _ in 0..<count {
                let length = self.chance.pick([0, 1, 20, 20, 20, 21, 97, 244, 512, 513])
                peripheral.writeValue(self.chance.data(length), for: characteristic, type: .withoutResponse)
            }
        case 6...8: peripheral.setNotifyValue(self.chance.below(4) > 0, for: characteristic)
        case 9: peripheral.discoverDescriptors(for: characteristic)
        case 10: peripheral.readRSSI()
        case 11:
            let psms = self.devices.flatMap(\.publishers).flatMap(\.psms) + [0x7F, 0x80, 0xFF, 0x100]
            peripheral.openL2CAPChannel(self.chance.pick(psms))
        default:
            guard !descriptors.isEmpty else { return peripheral.discoverDescriptors(for: characteristic) }
            let descriptor = self.chance.pick(descriptors)
            if descriptor.uuid != CBUUID(string: "2902"), self.chance.once(in: 3) {
                peripheral.writeValue(self.chance.data(self.chance.pick([0, 5, 600])), for: descriptor)
            } else {
                peripheral.readValue(for: descriptor)
            }
        }
    }

    // MARK: Publishers

    private func advertise(_ publisher: WalkPublisher) {
        var data: [String: Any] = [:]
        if self.chance.below(4) > 0 {
            data[CBAdvertisementDataLocalNameKey] = String("Crystal ball é of the walk".prefix(self.chance.below(26)))
        }
        let services = [IDs.service, IDs.other, CBUUID(string: "12345678"), IDs.answer, IDs.question]
        if self.chance.below(4) > 0 { data[CBAdvertisementDataServiceUUIDsKey] = self.chance.some(services) }
        if self.chance.once(in: 3) {
            data[CBAdvertisementDataManufacturerDataKey] = self.chance.data(self.chance.pick([0, 1, 2, 5, 26, 27]))
        }
        publisher.manager.startAdvertising(self.chance.once(in: 10) ? nil : data)
    }

    private func act(_ publisher: WalkPublisher) {
        guard let manager = publisher.manager else { return }
        switch self.chance.below(24) {
        case 0...3: self.advertise(publisher)
        case 4: manager.stopAdvertising()
        case 5...9: manager.add(self.chance.pick(publisher.services))
        case 10: manager.remove(self.chance.pick(publisher.services))
        case 11: if self.chance.once(in: 4) { manager.removeAllServices() }
        case 12...16:
            let characteristic = self.chance.pick(publisher.updatable)
            let value = self.chance.data(self.chance.pick([0, 1, 20, 21, 100, 512, 513]))
            let centrals = self.chance.once(in: 3) ? self.chance.some(publisher.centrals) : nil
            var taken = ""
            for _ in 0..<self.chance.pick([1, 3, 70]) {
                taken += manager.updateValue(value, for: characteristic, onSubscribedCentrals: centrals) ? "+" : "-"
            }
            publisher.note("updates \(taken)")
        case 17: publisher.answerAll()
        case 18:
            guard let central = publisher.centrals.last else { return }
            manager.setDesiredConnectionLatency(self.chance.pick([.low, .medium, .high]), for: central)
        case 19, 20: manager.publishL2CAPChannel(withEncryption: self.chance.once(in: 3))
        case 21: manager.unpublishL2CAPChannel(self.chance.pick(publisher.psms + [0x80, 0xFFF]))
        default: publisher.answerAll()
        }
    }
}

@Suite("Walks through the interface")
struct InterfaceWalkTests {
    @Test(
        "150 steps of two devices with two managers of each role, and a foreign peripheral",
        arguments: 1...8 as ClosedRange<UInt64>
    )
    func walk(seed: UInt64) {
        let record = RunRecord.current
        let listen: @Sendable (String) -> Void = { line in
            // What is said once in a process depends on the tests before.
            let isAlwaysSaid = ["API MISUSE", "WARNING", "No known channel"].contains { line.contains($0) }
            if isAlwaysSaid { record?.note("line \(withoutAddresses(line))") }
        }
        LogLines.$listener.withValue(listen) {
            let walk = InterfaceWalk(seed: seed)
            walk.run(steps: 150)
            RunRecord.note("\(walk.connections) \(walk.values)")
        }
    }
}
