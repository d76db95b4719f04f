// Two devices with an L2CAP channel between them: on threads with run loops, or in virtual time on an air that loses
// packets.

import BenchmarkSupport
import BluetoothAir
import CoreBluetooth
import NIOCore
import NIOEmbedded

/// Opens a channel; ordinary Core Bluetooth code in both roles.
final class ChannelApps: NSObject, CBPeripheralManagerDelegate, CBPeripheralDelegate {
    private static let service = CBUUID(string: "8E38140A-27BE-4090-8955-4FC4B5698D1E")
    private static let psm = CBUUID(string: CBUUIDL2CAPPSMCharacteristicString)
    private var peripheralManager: CBPeripheralManager?
    private lazy var finder = Finder(Self.service, for: self)
    private(set) var here: CBL2CAPChannel?
    private(set) var there: CBL2CAPChannel?
    var onOpen: () -> Void = {}

    /// Starts both roles; everything is called on `queue`.
    func start(_ adapters: [BluetoothAdapter], queue: DispatchQueue?) {
        self.peripheralManager = adapters[0].run { CBPeripheralManager(delegate: self, queue: queue) }
        self.finder.start(on: adapters[1], queue: queue)
    }

    private func opened() { if self.here != nil, self.there != nil { self.onOpen() } }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        if peripheral.state == .poweredOn { peripheral.publishL2CAPChannel(withEncryption: false) }
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager,
        didPublishL2CAPChannel PSM: CBL2CAPPSM,
        error: (any Error)?
    ) {
        let service = CBMutableService(type: Self.service, primary: true)
        let value = Data([UInt8(truncatingIfNeeded: PSM), UInt8(truncatingIfNeeded: PSM >> 8)])
        service.characteristics = [
            CBMutableCharacteristic(type: Self.psm, properties: .read, value: value, permissions: .readable)
        ]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [Self.service]])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        self.there = channel
        self.opened()
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics([Self.psm], for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didDiscoverCharacteristicsFor service: CBService,
        error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateValueFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard let value = characteristic.value, value.count == 2 else { return }
        peripheral.openL2CAPChannel(CBL2CAPPSM(value[0]) | CBL2CAPPSM(value[1]) << 8)
    }

    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
        expect(error == nil, "the channel was not opened: \(error.map { "\($0)" } ?? "")")
        self.here = channel
        self.opened()
    }
}

/// A channel between two threads.
final class ChannelPair {
    private let air = PrivateAir(settings: .instant, seed: 1)
    private let adapters: [BluetoothAdapter]
    private let apps = ChannelApps()
    private let threads = [RunLoopThread(), RunLoopThread()]
    private let users: [ChannelUser]
    private let done = DispatchSemaphore(value: 0)

    init() {
        let air = self.air
        self.adapters = ["peripheral", "central"].map { air.makeAdapter(configuration: .init(deviceName: $0)) }
        let opened = DispatchSemaphore(value: 0)
        let apps = self.apps
        apps.onOpen = { opened.signal() }
        apps.start(self.adapters, queue: DispatchQueue(label: "apps"))
        opened.wait()
        self.users = [apps.here!, apps.there!].map(ChannelUser.init)
        for (user, thread) in zip(self.users, self.threads) {
            user.onDone = { [done] in done.signal() }
            thread.perform { user.open(in: thread.runLoop) }
        }
    }

    /// Sends this number of octets in each direction.
    func transfer(there: Int, back: Int) {
        let (first, second) = (self.users[0], self.users[1])
        self.threads[1].perform { second.start(writing: back, reading: there) }
        self.threads[0].perform { first.start(writing: there, reading: back) }
        for _ in self.users { self.done.wait() }
        expect(first.isUnchanged && second.isUnchanged, "octets came changed")
    }
}

/// A channel in virtual time.
final class VirtualChannelPair {
    private let loop = EmbeddedEventLoop()
    private let air: Air
    private let adapters: [BluetoothAdapter]
    private let apps = ChannelApps()
    private let users: [ChannelUser]

    init(loss: Double) {
        let air = Air(eventLoop: self.loop, settings: .instant, seed: 1)
        self.air = air
        self.adapters = ["peripheral", "central"].map { BluetoothAdapter(air: air, configuration: .init(identity: $0)) }
        self.apps.start(self.adapters, queue: nil)
        for _ in 0..<1000 where self.apps.here == nil || self.apps.there == nil {
            self.loop.advanceTime(by: .milliseconds(10))
        }
        self.users = [self.apps.here!, self.apps.there!].map(ChannelUser.init)
        for user in self.users { user.open(in: .main) }
        air.setLoss(LossProbability(loss))
    }

    /// Sends this number of octets in each direction.
    func transfer(_ octets: Int) {
        var left = 2
        for user in self.users { user.onDone = { left -= 1 } }
        for user in self.users { user.start(writing: octets, reading: octets) }
        for _ in 0..<100_000_000 where left > 0 { self.loop.advanceTime(by: .milliseconds(1)) }
        expect(left == 0 && self.users.allSatisfy(\.isUnchanged), "octets are missing or came changed")
    }
}
