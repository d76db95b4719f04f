// Core Bluetooth on an adapter of BlueZ: a mock on a bus of its own, and apps that use nothing but Apple's API.

import BluetoothTypes
import Fixtures
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import Testing

@testable import BluetoothBlueZ
@testable import CoreBluetooth

@Suite("BlueZ, by a mock", .enabled(if: PrivateBus.isThere, "dbus-daemon and libsystemd are needed"), .serialized)
struct BlueZTests {
    let bus: PrivateBus
    let mock: MockBlueZ

    init() async throws {
        self.bus = try await PrivateBus()
        self.mock = try await MockBlueZ(on: self.bus)
    }

    /// An app that is connected to the mock's device and knows its characteristic.
    private func connected() async throws -> BlueZCentralApp {
        let app = BlueZCentralApp(BluetoothAdapter(bus: self.bus))
        try await self.connect(app)
        return app
    }

    func connect(_ app: BlueZCentralApp) async throws {
        try await app.events.wait(for: "state 5")
        app.scan()
        try await eventually { self.mock.calls.contains("StartDiscovery /org/bluez/hci0") }
        try await self.mock.advertise()
        try await app.events.wait(for: "discovered Mock -61")
        app.connect()
        try await app.events.wait(for: "discovered 1")
    }

    @Test("gives a central what BlueZ has: advertisements, services, values and notifications")
    func central() async throws {
        let app = try await self.connected()
        app.read()
        try await app.events.wait(for: "value old")
        app.write("new", .withResponse)
        try await app.events.wait(for: "written 0")
        app.subscribe(true)
        try await app.events.wait(for: "notifying true 0")
        for number in 0..<100 { try await self.mock.notify("\(number)") }
        try await app.events.wait(for: "value 99")
        #expect(app.events.all.filter { $0.hasPrefix("value") } == ["value old"] + (0..<100).map { "value \($0)" })
        app.write("command", .withoutResponse)
        try await eventually { self.mock.calls.filter { $0.hasPrefix("WriteValue") }.count == 2 }
        app.subscribe(false)
        try await app.events.wait(for: "notifying false 0")
        app.end()
        try await app.events.wait(for: "disconnected by itself")
        try await eventually { self.mock.calls.contains { $0.hasPrefix("Disconnect ") } }
    }

    @Test(
        "hands BlueZ's refusals on as errors of the attribute",
        arguments: [
            ("NotPermitted", "Read not permitted", 2), ("NotPermitted", "Not paired", 5), ("NotAuthorized", "", 8),
        ]
    )
    func refusals(name: String, text: String, code: Int) async throws {
        let app = try await self.connected()
        try await self.mock.answer { call, message in
            guard ["ReadValue", "StartNotify"].contains(message.member) else { return false }
            call.fail("org.bluez.Error." + name, text)
            return true
        }
        app.read()
        try await app.events.wait(for: "refused \(code)")
        app.subscribe(true)
        try await app.events.wait(for: "notifying false \(code)")
    }

    @Test("sends writes without response in a row through BlueZ's socket, and a request only when BlueZ has read them")
    func commandStream() async throws {
        let app = try await self.connected()
        for number in 0..<40 { app.write("\(number)", .withoutResponse) }
        app.write("last", .withResponse)
        try await app.events.wait(for: "written 0")
        let calls = self.mock.calls.filter { $0.hasPrefix("WriteValue") || $0.hasPrefix("packet") }
        let write = "WriteValue \(MockBlueZ.value)"
        let expected = Array(repeating: write, count: 8) + (8..<40).map { "packet \($0)" } + [write]
        #expect(calls == expected)
    }

    @Test("sends writes without response late, whole and in order, if another program has BlueZ's socket at first")
    func busyCommandStream() async throws {
        let app = try await self.connected()
        let refusals = NIOLockedValueBox(0)
        try await self.mock.answer { call, message in
            guard ["AcquireWrite", "WriteValue"].contains(message.member), refusals.withLockedValue(\.self) < 12 else {
                return false
            }
            refusals.withLockedValue { $0 += 1 }
            call.fail("org.bluez.Error.NotPermitted", "Write acquired")
            return true
        }
        for number in 0..<40 { app.write("\(number)", .withoutResponse) }
        try await eventually { self.mock.calls.contains("packet 39") }
        #expect(self.mock.calls.filter { $0.hasPrefix("packet") } == (0..<40).map { "packet \($0)" })
    }

    @Test("waits for a device that is absent, by asking again")
    func absentDevice() async throws {
        let app = BlueZCentralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "state 5")
        let refusals = NIOLockedValueBox(3)
        try await self.mock.answer { call, message in
            guard message.member == "Connect",
                refusals.withLockedValue({
                    $0 -= 1
                    return $0 >= 0
                })
            else { return false }
            call.fail("org.bluez.Error.Failed", "le-connection-abort-by-local")
            return true
        }
        app.scan()
        try await self.mock.advertise()
        try await app.events.wait(for: "discovered Mock -61")
        app.connect()
        try await app.events.wait(for: "discovered 1")
        #expect(self.mock.calls.filter { $0.hasPrefix("Connect ") }.count == 4)
    }

    @Test("connects to a device that BlueZ does not report as connected")
    func unreportedConnection() async throws {
        self.mock.reportsConnected.withLockedValue { $0 = false }
        _ = try await self.connected()
    }

    @Test("tells an app of a device that is lost")
    func lostDevice() async throws {
        let app = try await self.connected()
        try await self.mock.set(MockBlueZ.device, BlueZ.device, ["Connected": .boolean(false)])
        try await app.events.wait(for: "disconnected 7")
    }

    @Test("tells an app that subscribes while BlueZ ends another program's link of the end, and of no error")
    func endingLink() async throws {
        let app = try await self.connected()
        try await self.mock.answer { call, message in
            guard message.member == "StartNotify" else { return false }
            call.fail("org.bluez.Error.NotConnected", "Not Connected")
            return true
        }
        app.subscribe(true)
        try await eventually { self.mock.calls.contains { $0.hasPrefix("StartNotify") } }
        try await self.mock.set(MockBlueZ.device, BlueZ.device, ["Connected": .boolean(false)])
        try await app.events.wait(for: "disconnected 7")
        #expect(!app.events.all.contains { $0.hasPrefix("notifying") })
    }

    @Test("resets when bluetoothd ends, and is back when it is")
    func restart() async throws {
        let app = try await self.connected()
        try await self.mock.crash()
        try await app.events.wait(for: "state 1")
        let next = try await MockBlueZ(on: self.bus)
        try await eventually { app.events.all.filter { $0 == "state 5" }.count == 2 }
        _ = next
    }

    @Test("is off while BlueZ's adapter is")
    func powerOff() async throws {
        let app = BlueZCentralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "state 5")
        try await self.mock.set(MockBlueZ.adapter, BlueZ.adapter, ["Powered": .boolean(false)])
        try await app.events.wait(for: "state 4")
        try await self.mock.set(MockBlueZ.adapter, BlueZ.adapter, ["Powered": .boolean(true)])
        try await eventually { app.events.all.filter { $0 == "state 5" }.count == 2 }
    }

    @Test("survives properties of wrong types, huge values and paths that are none")
    func hostileProperties() async throws {
        let app = BlueZCentralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "state 5")
        app.scan()
        let huge = BusValue.bytes(ByteBuffer(repeating: 0xFF, count: 1 << 20))
        for (number, value) in [BusValue.uint32(1), huge, .strings(["a"]), .properties(["a": huge])].enumerated() {
            let path = MockBlueZ.adapter + "/dev_\(number)"
            let names = DeviceProperties.advertised.union(["Address", "AddressType", "Connected", "ServicesResolved"])
            try await self.mock.insert(path, BlueZ.device, Dictionary(uniqueKeysWithValues: names.map { ($0, value) }))
            try await self.mock.insert(path + "/service", BlueZ.gattService, ["UUID": value])
            try await self.mock.insert("/elsewhere/\(number)", BlueZ.device, [:])
        }
        try await self.mock.advertise()
        try await app.events.wait(for: "discovered Mock -61")
        app.connect()
        try await app.events.wait(for: "discovered 1")
    }

    @Test("publishes what a peripheral offers, and hands on what centrals ask")
    func peripheral() async throws {
        try await self.mock.insert(
            MockBlueZ.device,
            BlueZ.device,
            ["Address": .string("C0:11:22:33:44:55"), "AddressType": .string("random"), "Connected": .boolean(true)]
        )
        let app = BlueZPeripheralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "advertising")
        try await eventually { self.mock.calls.contains("advertises Ours") }
        try await eventually { self.mock.calls.contains { $0.hasPrefix("RegisterApplication") } }
        let path = "/org/corebluetooth/service1/service/char0"
        let options: ObjectTree.Properties = ["device": .path(MockBlueZ.device), "mtu": .uint16(100)]
        let read = try await self.mock.call(path, BlueZ.characteristic, "ReadValue", [.properties(options)])
        #expect(try read.get().first?.bytes.map { String(buffer: $0) } == "ours")
        for (text, name) in [("good", nil), ("bad", "org.bluez.Error.InvalidValueLength")] {
            let write: [BusValue] = [.bytes(ByteBuffer(string: text)), .properties(options)]
            let result = try await self.mock.call(path, BlueZ.characteristic, "WriteValue", write)
            switch result {
            case .success: #expect(name == nil)
            case .failure(let failure): #expect(failure.name == name)
            }
        }
        let acquired = try await self.mock.call(path, BlueZ.characteristic, "AcquireNotify", [.properties(options)])
        let descriptor = try #require(try acquired.get().first?.descriptor)
        let socket = descriptor.number
        #expect(try acquired.get().last == .uint16(100))
        try await app.events.wait(for: "subscribed 97")
        app.update("hello")
        var octets = [UInt8](repeating: 0, count: 100)
        try await eventually { recv(socket, &octets, octets.count, CInt(MSG_DONTWAIT)) == 5 }
        #expect(String(decoding: octets.prefix(5), as: UTF8.self) == "hello")
        shutdown(socket, CInt(SHUT_RDWR))
        try await app.events.wait(for: "unsubscribed")
    }

    @Test("advertises anew when a central connects, since Linux has stopped then")
    func advertisesAnew() async throws {
        let app = BlueZPeripheralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "advertising")
        try await self.mock.advertise(["Connected": .boolean(true)])
        let root = "/org/bluez/hci0"
        try await eventually { self.mock.calls.contains("UnregisterAdvertisement \(root)") }
        let calls = self.mock.calls.filter { $0.contains("Advertisement") || $0.hasPrefix("advertises") }
        #expect(
            calls == [
                "RegisterAdvertisement \(root)", "advertises Ours", "RegisterAdvertisement \(root)", "advertises Ours",
                "UnregisterAdvertisement \(root)",
            ]
        )
    }

    @Test("gives a peripheral all writes without response of a central, also those before its link is there")
    func writesWithoutResponse() async throws {
        try await self.mock.advertise(["Connected": .boolean(true)])
        let app = BlueZPeripheralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "advertising")
        let path = "/org/corebluetooth/service1/service/char1"
        let options: ObjectTree.Properties = ["device": .path(MockBlueZ.device), "mtu": .uint16(100)]
        for number in 0..<300 {
            let write: [BusValue] = [.bytes(ByteBuffer(string: "\(number)")), .properties(options)]
            _ = try await self.mock.call(path, BlueZ.characteristic, "WriteValue", write).get()
        }
        try await app.events.wait(for: "written 299")
        #expect(app.events.all.filter { $0.hasPrefix("written") } == (0..<300).map { "written \($0)" })
    }

    @Test("uses a device that another program holds connected, and leaves it connected")
    func shared() async throws {
        try await self.mock.advertise(["Connected": .boolean(true)])
        let app = BlueZCentralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "state 5")
        app.connectRetrieved()
        try await app.events.wait(for: "retrieved Mock")
        try await self.mock.resolveServices()
        try await app.events.wait(for: "discovered 1")
        app.end()
        try await app.events.wait(for: "disconnected by itself")
        #expect(!self.mock.calls.contains { $0.hasPrefix("Disconnect ") || $0.hasPrefix("Connect ") })
    }

    @Test("reports a service that BlueZ refuses")
    func refusedService() async throws {
        try await self.mock.answer { call, message in
            guard message.member == "RegisterApplication" else { return false }
            call.fail("org.bluez.Error.Failed", "Failed to create entry in database")
            return true
        }
        let app = BlueZPeripheralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "not added")
    }

    @Test("reports advertising that BlueZ refuses")
    func refusedAdvertising() async throws {
        try await self.mock.answer { call, message in
            guard message.member == "RegisterAdvertisement" else { return false }
            call.fail("org.bluez.Error.NotPermitted", "Maximum advertisements reached")
            return true
        }
        let app = BlueZPeripheralApp(BluetoothAdapter(bus: self.bus))
        try await app.events.wait(for: "not advertising")
    }
}
