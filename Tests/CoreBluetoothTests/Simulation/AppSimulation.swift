// Random calls of the whole interface by two managers of each role on three adapters, with controllers that break and
// apps that are slow. When everything is put in order, nothing is awaited, and a connection must come about.

import BluetoothHCI
import Fixtures
import NIOCore
import Testbed

@testable import BluetoothAir
@testable import CoreBluetooth

/// One run; equal seeds give equal runs.
final class AppSimulation {
    private struct Device {
        let source: BreakableSource
        let adapter: BluetoothAdapter
        let centrals: [SimulatedCentral]
        let publishers: [SimulatedPublisher]
    }

    /// More tasks than this in one second of virtual time are an endless exchange.
    private static let tasksPerSecond = 20_000

    let log = SimulationLog()
    private let testbed: Testbed
    private var devices: [Device] = []
    private var choices: SeededChoices

    init(seed: UInt64) {
        self.choices = SeededChoices(seed: seed)
        self.testbed = Testbed(
            settings: seed.isMultiple(of: 2) ? AirSettings(hasAirTime: true, loss: 0.1) : .instant,
            seed: seed
        )
        let testbed = self.testbed
        self.log.now = { testbed.loop.now }
        testbed.loop.taskLimit = Self.tasksPerSecond
        for number in 0..<3 {
            let source = BreakableSource(air: testbed.air)
            let adapter = source.adapter("Device \(number)", testbed)
            source.onPacket = { [log] packet, isFromHost in
                // Advertising would fill the log and says nothing.
                if case .leAdvertisingReports? = try? HCIEvent(packet) { return }
                log.note(packet, of: number, isFromHost: isFromHost)
            }
            self.devices.append(
                Device(
                    source: source,
                    adapter: adapter,
                    centrals: (0..<2).map { SimulatedCentral("C\(number)\($0)", on: adapter, log: log) },
                    publishers: (0..<2).map { SimulatedPublisher("P\(number)\($0)", on: adapter, log: log) }
                )
            )
        }
        for publisher in self.publishers { publisher.chance = { [unowned self] in self.below(100) } }
        for central in self.centrals {
            // Half of what apps do, they do in a callback.
            central.onCallback = { [unowned self, unowned central] known in
                if self.below(3) == 0 { self.act(central, known) }
            }
        }
    }

    private var centrals: [SimulatedCentral] { self.devices.flatMap(\.centrals) }
    private var publishers: [SimulatedPublisher] { self.devices.flatMap(\.publishers) }

    private func below(_ count: Int) -> Int { self.choices.below(count) }

    private func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[self.below(elements.count)]
    }

    // MARK: The run

    /// Acts at random, so often, puts everything in order, and makes one connection.
    func run(actions: Int) throws {
        self.testbed.run(.milliseconds(50))
        for _ in 0..<actions where self.log.violations.isEmpty {
            self.act()
            switch self.below(20) {
            case 0..<8: self.testbed.loop.run()
            case 8..<16: self.testbed.run(.microseconds(Int64(self.below(50_000))))
            case 16..<19: self.testbed.run(.milliseconds(Int64(self.below(1000))))
            default: self.testbed.run(.milliseconds(Int64(self.below(8000))))
            }
            self.check()
        }
        if self.log.violations.isEmpty { self.putInOrder() }
        if self.log.violations.isEmpty { try self.converse() }
    }

    private func check() {
        self.log.require(self.testbed.loop.stoppedAt == nil, "more than \(Self.tasksPerSecond) tasks in a second")
        for central in self.centrals { central.check() }
        for publisher in self.publishers { publisher.check() }
    }

    private func act() {
        let device = self.devices[self.below(3)]
        let number = self.below(100)
        self.log.note("act \(number)")
        switch number {
        case 0..<60: self.act(device.centrals[self.below(2)])
        case 60..<95: self.act(device.publishers[self.below(2)])
        // Its apps are slow.
        case 95..<97:
            let time = TimeAmount.milliseconds(Int64(self.below(20_000)))
            self.log.note("held for \(time)")
            device.adapter.holdCallbacks(for: time)
        case 97: device.source.breakChannel()
        case 98: device.adapter.setPowered(false)
        default: device.adapter.setPowered(true)
        }
        if number < 97, self.below(4) == 0 { device.adapter.setPowered(true) }
    }

    private func act(_ central: SimulatedCentral) {
        let manager = central.manager
        switch self.below(12) {
        case 0: manager.scanForPeripherals(withServices: nil, options: self.scanOptions())
        case 1: manager.scanForPeripherals(withServices: [IDs.service, IDs.other], options: self.scanOptions())
        case 2: manager.stopScan()
        case 3:
            for peripheral in manager.retrieveConnectedPeripherals(withServices: [IDs.service]) {
                central.keep(peripheral)
            }
            let identifiers = central.known.prefix(3).map(\.peripheral.identifier)
            _ = manager.retrievePeripherals(withIdentifiers: identifiers + [UUID()])
            manager.registerForConnectionEvents(
                options: self.below(2) == 0 ? nil : [.serviceUUIDs: [IDs.service], .peripheralUUIDs: identifiers]
            )
        default:
            guard let known = self.pick(central.known) else {
                return manager.scanForPeripherals(withServices: nil, options: nil)
            }
            self.act(central, known)
        }
    }

    private func scanOptions() -> [String: Any]? {
        self.below(3) == 0 ? [CBCentralManagerScanOptionAllowDuplicatesKey: true] : nil
    }

    private func act(_ central: SimulatedCentral, _ known: SimulatedCentral.Known) {
        switch known.peripheral.state {
        case .connected:
            switch self.below(16) {
            case 0: central.cancel(known)
            case 1: if self.below(4) == 0 { central.drop(known) }
            case 2: central.connect(known, options: nil)
            default: for _ in 0...self.below(3) { self.use(central, known) }
            }
        case .disconnected, .disconnecting, .connecting:
            switch self.below(12) {
            case 0: central.cancel(known)
            case 1: central.drop(known)
            case 2: self.use(central, known)
            case 3: central.connect(known, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
            case 4: central.connect(known, options: [CBConnectPeripheralOptionStartDelayKey: 0.5])
            case 5:
                central.connect(known, options: nil)
                central.cancel(known)
                central.connect(known, options: nil)
            default: central.connect(known, options: nil)
            }
        @unknown default: break
        }
    }

    /// A procedure on a peripheral, connected or not.
    private func use(_ central: SimulatedCentral, _ known: SimulatedCentral.Known) {
        let peripheral = known.peripheral
        let service = self.pick(peripheral.services ?? [])
        let characteristic = self.pick(service?.characteristics ?? [])
        let descriptor = self.pick(characteristic?.descriptors ?? [])
        switch (self.below(14), service, characteristic, descriptor) {
        case (0, _, _, _), (_, nil, _, _):
            let filter = self.below(3) == 0 ? [IDs.service] : nil
            central.ask(known, "services", nil) { $0.discoverServices(filter) }
        case (1, let service?, _, _):
            central.ask(known, "included", service) { $0.discoverIncludedServices(nil, for: service) }
        case (2, let service?, _, _), (_, let service?, nil, _):
            central.ask(known, "characteristics", service) { $0.discoverCharacteristics(nil, for: service) }
        case (3, _, let characteristic?, _):
            central.ask(known, "descriptors", characteristic) { $0.discoverDescriptors(for: characteristic) }
        case (4...5, _, let characteristic?, _):
            central.ask(known, "value", characteristic) { $0.readValue(for: characteristic) }
        case (6...7, _, let characteristic?, _):
            let value = Data(count: self.below(4) == 0 ? self.below(600) : self.below(30))
            central.ask(known, "wrote", characteristic) {
                $0.writeValue(value, for: characteristic, type: .withResponse)
            }
        case (8...9, _, let characteristic?, _):
            let isOn = self.below(3) > 0
            if isOn { known.notified.insert(ObjectIdentifier(characteristic)) }
            central.ask(known, "notifying", characteristic) { $0.setNotifyValue(isOn, for: characteristic) }
        case (10, _, let characteristic?, _):
            for number in 0..<self.below(150) where characteristic.properties.contains(.writeWithoutResponse) {
                guard peripheral.canSendWriteWithoutResponse || number.isMultiple(of: 50) else {
                    known.awaitsCapacity = peripheral.state == .connected
                    break
                }
                peripheral.writeValue(Data(count: number % 21), for: characteristic, type: .withoutResponse)
            }
        case (11, _, _, let descriptor?):
            central.ask(known, "descriptor", descriptor) { $0.readValue(for: descriptor) }
        case (12, _, _, let descriptor?) where descriptor.uuid != CBUUID(string: "2902"):
            central.ask(known, "wrote", descriptor) { $0.writeValue(Data([1]), for: descriptor) }
        default:
            if peripheral.state == .connected { known.awaitedRSSI += 1 }
            peripheral.readRSSI()
        }
    }

    private func act(_ publisher: SimulatedPublisher) {
        let manager = publisher.manager!
        switch self.below(16) {
        case 0...3: publisher.add(publisher.services[self.below(3)])
        case 4: manager.remove(publisher.services[self.below(3)])
        case 5: if self.below(3) == 0 { manager.removeAllServices() }
        case 6...9:
            publisher.advertise(
                name: self.below(3) == 0 ? nil : publisher.name,
                services: [IDs.service] + (self.below(2) == 0 ? [] : [IDs.other, IDs.answer])
            )
        case 10: manager.stopAdvertising()
        case 11...13:
            guard let characteristic = self.pick(publisher.updatable) else { return }
            let value = Data("n".utf8) + Data(count: self.below(5) == 0 ? self.below(600) : self.below(20))
            let centrals = self.below(3) == 0 ? Array(publisher.centrals.prefix(1)) : nil
            for _ in 0...(self.below(6) == 0 ? 100 : 3) { publisher.update(characteristic, value, centrals) }
        case 14: publisher.answerAll()
        default:
            guard let central = self.pick(publisher.centrals) else { return }
            let latency: [CBPeripheralManagerConnectionLatency] = [.low, .medium, .high]
            manager.setDesiredConnectionLatency(latency[self.below(3)], for: central)
        }
    }

    // MARK: The end

    /// Switches everything on, gives everything up, and waits until nothing goes on any more.
    private func putInOrder() {
        for device in self.devices { device.adapter.setPowered(true) }
        for device in self.devices { device.adapter.holdCallbacks(for: .zero) }
        // Events that are held are reported after 20 s at the latest.
        let isOn = self.testbed.run(
            until: {
                self.centrals.allSatisfy { $0.manager.state == .poweredOn }
                    && self.publishers.allSatisfy { $0.manager.state == .poweredOn }
            },
            within: .seconds(30)
        )
        guard isOn else { return self.log.violation("not everything came on again") }
        for central in self.centrals { central.onCallback = nil }
        for publisher in self.publishers {
            publisher.chance = { 50 }
            publisher.answerAll()
        }
        // A request that no app answers ends with its link after 30 s.
        self.testbed.run(.seconds(70))
        for central in self.centrals { central.checkRest() }
        for publisher in self.publishers { publisher.checkRest() }
        for publisher in self.publishers {
            publisher.manager.stopAdvertising()
            publisher.manager.removeAllServices()
        }
        for central in self.centrals {
            central.manager.stopScan()
            central.manager.registerForConnectionEvents(options: nil)
            for known in central.known { central.cancel(known) }
        }
        self.testbed.run(.seconds(5))
        for central in self.centrals {
            central.checkRest()
            for known in central.known {
                self.log.require(known.peripheral.state == .disconnected, "\(central.name): still connected")
                self.log.require(known.openAttempts == 0, "\(central.name): \(known.openAttempts) requests never ended")
            }
        }
        for controller in self.testbed.air.controllers {
            self.log.require(controller.linkCount == 0, "a controller still has \(controller.linkCount) links")
        }
        self.log.require(self.testbed.air.controllers.count == 3, "\(self.testbed.air.controllers.count) controllers")
        self.check()
    }

    /// Other apps of two of the devices connect, discover and read.
    private func converse() throws {
        let number = self.below(3)
        let (ball, central) = (
            PeripheralApp(on: self.devices[number].adapter),
            CentralApp(on: self.devices[(number + 1 + self.below(2)) % 3].adapter)
        )
        self.testbed.run { ball.manager.state == .poweredOn && central.manager.state == .poweredOn }
        ball.reading = "last".octets
        ball.open(name: "Last")
        let peripheral = try central.connect(in: self.testbed)
        let answer = try peripheral.discover([IDs.service], in: self.testbed).characteristic(IDs.answer)
        peripheral.readValue(for: answer)
        self.testbed.run { central.values == ["last"] }
    }
}
