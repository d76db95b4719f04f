// What the commands for one device wait for, and what becomes of it when the device or the adapter goes.

import CommandLineTool
import CoreBluetooth
import Fixtures
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("Waiting for Core Bluetooth")
@MainActor
struct PendingAnswerTests {
    @Test("A8: an end that comes before a call waits for it is not lost")
    func earlyEnd() async throws {
        let answer = PendingAnswer()
        answer.end(.failure(Failure("the adapter was lost")))
        // The first end counts.
        answer.end(.success(()))
        var hasStarted = false
        await #expect(throws: Failure.self) {
            try await answer.wait(nil, late: Failure("")) { hasStarted = true }
        }
        #expect(!hasStarted)
        // The next call waits for an end of its own.
        try await answer.wait(nil, late: Failure("")) {
            hasStarted = true
            answer.end(.success(()))
        }
        #expect(hasStarted)
    }

    @Test("A9: what a deadline holds is released as soon as it is called off")
    func deadline() async throws {
        final class Held {}
        weak var held: Held?
        func make() -> Deadline {
            let object = Held()
            held = object
            return Deadline(after: 3600) { withExtendedLifetime(object) {} }
        }
        let deadline = make()
        #expect(held != nil)
        deadline.cancel()
        // The queue of the timer releases its handler in a turn of its own.
        let limit = Date(timeIntervalSinceNow: 60)
        while held != nil, Date() < limit { await Task.yield() }
        #expect(held == nil)
    }

    @Test("A11: a device that is not connected any more is not written to")
    func lostLink() async throws {
        let air = PrivateAir()
        let ball = Peripheral(air.makeAdapter(configuration: .init(identity: "Ball")))
        let central = Central(output: OutputFormat(isJSON: false, isVerbose: false))
        let adapter = air.makeAdapter()
        try await adapter.run { try await central.start(timeout: 20) }
        let peripheral = try await central.find(DeviceQuery("Ball"), timeout: 20)
        try await central.connect(peripheral, timeout: 20)
        let service = try #require(try await central.discoverServices([Peripheral.service]).first)
        let characteristic = try #require(try await central.discoverCharacteristics(of: service).first)
        try await central.writeWithoutResponse(Data([1]), to: characteristic)
        await central.disconnect()
        await #expect(throws: Failure.self) {
            try await central.writeWithoutResponse(Data([2]), to: characteristic)
        }
        withExtendedLifetime(ball) {}
    }

    /// A peripheral with one characteristic.
    @MainActor
    private final class Peripheral: NSObject, @preconcurrency CBPeripheralManagerDelegate {
        static let service = CBUUID(string: "FFF0")
        private var manager: CBPeripheralManager?

        init(_ adapter: BluetoothAdapter) {
            super.init()
            self.manager = adapter.run { CBPeripheralManager(delegate: self, queue: .main) }
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: Self.service, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: CBUUID(string: "FFF1"),
                    properties: .writeWithoutResponse,
                    value: nil,
                    permissions: .writeable
                )
            ]
            peripheral.add(service)
            peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Ball"])
        }
    }
}
