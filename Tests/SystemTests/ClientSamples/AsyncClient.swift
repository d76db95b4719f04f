// A client in the style of Swift 6: main-actor objects, continuations and asynchronous sequences, with delegate methods
// that are isolated by `@preconcurrency` conformances.

import CoreBluetooth

/// What can go wrong beside Core Bluetooth's own errors.
enum AsyncClientError: Error {
    case notFound
    case busy
}

/// The central's half.
@MainActor
final class AsyncCentral: NSObject {
    private var manager: CBCentralManager!
    private var waitingForPower: [CheckedContinuation<Void, Never>] = []
    private var discoveries: AsyncStream<UUID>.Continuation?
    private var found: [UUID: CBPeripheral] = [:]
    private var connecting: [UUID: CheckedContinuation<Void, any Error>] = [:]
    private var disconnecting: [UUID: CheckedContinuation<Void, Never>] = [:]

    override init() {
        super.init()
        self.manager = CBCentralManager(delegate: self, queue: nil)
    }

    func poweredOn() async {
        guard self.manager.state != .poweredOn else { return }
        await withCheckedContinuation { self.waitingForPower.append($0) }
    }

    /// Identifiers of peripherals as they are found, until nobody listens any more: peripherals are not sendable.
    func peripherals(with services: [CBUUID]) -> AsyncStream<UUID> {
        AsyncStream { continuation in
            self.discoveries = continuation
            continuation.onTermination = { _ in Task { @MainActor in self.stop() } }
            self.manager.scanForPeripherals(withServices: services)
        }
    }

    private func stop() {
        guard self.manager.state == .poweredOn else { return }
        self.manager.stopScan()
    }

    func connect(_ identifier: UUID) async throws -> AsyncPeripheral {
        guard let peripheral = self.found[identifier] else { throw AsyncClientError.notFound }
        let wrapper = AsyncPeripheral(peripheral)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                self.connecting[peripheral.identifier] = continuation
                self.manager.connect(peripheral)
            }
        } onCancel: {
            Task { @MainActor in self.cancel(wrapper) }
        }
        return wrapper
    }

    private func cancel(_ wrapper: AsyncPeripheral) {
        guard let continuation = self.connecting.removeValue(forKey: wrapper.peripheral.identifier) else { return }
        self.manager.cancelPeripheralConnection(wrapper.peripheral)
        continuation.resume(throwing: CancellationError())
    }

    func disconnect(_ wrapper: AsyncPeripheral) async {
        await withCheckedContinuation { continuation in
            self.disconnecting[wrapper.peripheral.identifier] = continuation
            self.manager.cancelPeripheralConnection(wrapper.peripheral)
        }
    }
}

extension AsyncCentral: @preconcurrency CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        for continuation in self.waitingForPower { continuation.resume() }
        self.waitingForPower = []
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        self.found[peripheral.identifier] = peripheral
        self.discoveries?.yield(peripheral.identifier)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        self.connecting.removeValue(forKey: peripheral.identifier)?.resume()
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        self.connecting.removeValue(forKey: peripheral.identifier)?
            .resume(throwing: error ?? CBError(.connectionFailed))
    }

    func centralManager(
        _ central: CBCentralManager,
        didDisconnectPeripheral peripheral: CBPeripheral,
        error: (any Error)?
    ) {
        (peripheral.delegate as? AsyncPeripheral)?.ended(error)
        self.disconnecting.removeValue(forKey: peripheral.identifier)?.resume()
    }
}

/// A connected peripheral: one operation at a time.
@MainActor
final class AsyncPeripheral: NSObject {
    let peripheral: CBPeripheral
    private var operation: CheckedContinuation<Void, any Error>?
    private var values: [CBUUID: AsyncThrowingStream<Data, any Error>.Continuation] = [:]

    init(_ peripheral: CBPeripheral) {
        self.peripheral = peripheral
        super.init()
        peripheral.delegate = self
    }

    private func perform(_ start: () -> Void) async throws {
        guard self.operation == nil else { throw AsyncClientError.busy }
        try await withCheckedThrowingContinuation { continuation in
            self.operation = continuation
            start()
        }
    }

    private func complete(_ error: (any Error)?) {
        let operation = self.operation
        self.operation = nil
        if let error {
            operation?.resume(throwing: error)
        } else {
            operation?.resume()
        }
    }

    func ended(_ error: (any Error)?) {
        self.complete(error ?? CBError(.peripheralDisconnected))
        for stream in self.values.values { stream.finish(throwing: error) }
        self.values = [:]
    }

    func characteristic(_ uuid: CBUUID, of serviceUUID: CBUUID) async throws -> CBCharacteristic {
        try await self.perform { self.peripheral.discoverServices([serviceUUID]) }
        guard let service = self.peripheral.services?.first(where: { $0.uuid == serviceUUID }) else {
            throw AsyncClientError.notFound
        }
        try await self.perform { self.peripheral.discoverCharacteristics([uuid], for: service) }
        guard let found = service.characteristics?.first(where: { $0.uuid == uuid }) else {
            throw AsyncClientError.notFound
        }
        return found
    }

    func read(_ characteristic: CBCharacteristic) async throws -> Data {
        try await self.perform { self.peripheral.readValue(for: characteristic) }
        return characteristic.value ?? Data()
    }

    func write(_ data: Data, to characteristic: CBCharacteristic) async throws {
        try await self.perform { self.peripheral.writeValue(data, for: characteristic, type: .withResponse) }
    }

    /// The values that the peripheral sends.
    func values(of characteristic: CBCharacteristic) async throws -> AsyncThrowingStream<Data, any Error> {
        let (stream, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        self.values[characteristic.uuid] = continuation
        try await self.perform { self.peripheral.setNotifyValue(true, for: characteristic) }
        return stream
    }
}

extension AsyncPeripheral: @preconcurrency CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { self.complete(error) }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        self.complete(error)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let stream = self.values[characteristic.uuid], let value = characteristic.value {
            stream.yield(value)
        } else {
            self.complete(error)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        self.complete(error)
    }

    func peripheral(
        _ peripheral: CBPeripheral,
        didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        self.complete(error)
    }
}

/// The peripheral's half: commands are a sequence.
@MainActor
final class AsyncGadget: NSObject {
    private var manager: CBPeripheralManager!
    private var ready: CheckedContinuation<Void, any Error>?
    private var writability: CheckedContinuation<Void, Never>?
    private let event: CBMutableCharacteristic
    private let service: CBMutableService
    private let status: Data
    /// The commands that were written.
    let commands: AsyncStream<String>
    private let received: AsyncStream<String>.Continuation

    init(service: CBUUID, status: (CBUUID, Data), command: CBUUID, event: CBUUID) {
        (self.commands, self.received) = AsyncStream<String>.makeStream()
        self.status = status.1
        self.event = CBMutableCharacteristic(type: event, properties: .notify, value: nil, permissions: .readable)
        self.service = CBMutableService(type: service, primary: true)
        self.service.characteristics = [
            CBMutableCharacteristic(type: status.0, properties: .read, value: nil, permissions: .readable),
            CBMutableCharacteristic(type: command, properties: .write, value: nil, permissions: .writeable),
            self.event,
        ]
        super.init()
    }

    /// Comes up, publishes and advertises.
    func open() async throws {
        try await withCheckedThrowingContinuation { continuation in
            self.ready = continuation
            self.manager = CBPeripheralManager(delegate: self, queue: .main)
        }
    }

    /// Sends an event, and waits while the transmit queue is full.
    func send(_ text: String) async {
        while !self.manager.updateValue(Data(text.utf8), for: self.event, onSubscribedCentrals: nil) {
            await withCheckedContinuation { self.writability = $0 }
        }
    }
}

extension AsyncGadget: @preconcurrency CBPeripheralManagerDelegate {
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        if peripheral.state == .poweredOn { peripheral.add(self.service) }
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service.uuid]])
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error { self.ready?.resume(throwing: error) } else { self.ready?.resume() }
        self.ready = nil
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = self.status.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests { self.received.yield(String(decoding: request.value ?? Data(), as: UTF8.self)) }
        peripheral.respond(to: requests[0], withResult: .success)
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        self.writability?.resume()
        self.writability = nil
    }
}
