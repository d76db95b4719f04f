// The parts of a world one by one: names, clocks, durations, watches, what stays of a radio's troubles, what a device
// that does not respond answers all the same, and an app that the system launches too late.

import BluetoothHCI
import CoreBluetooth
import NIOCore
import Testbed
import Testing

@testable import CoreBluetoothTesting

@Suite("Parts of a world")
struct WorldPartsTests {
    // MARK: Values

    @Test("A file's name has letters, numbers and three marks of a name, and single hyphens between them")
    func names() {
        for (text, expected) in [
            ("reads()", "reads"), ("a/b c", "a-b-c"), ("-a--b-", "a-b"), ("A_1.2-x", "A_1.2-x"), ("Tür 日", "Tür-日"),
            ("a:b\\c*", "a-b-c"), ("", "world"), ("()", "world"), ("..", ".."),
        ] { #expect(fileName(text) == expected) }
    }

    @Test("Instants of a world's clock are ordered, and have the time between them")
    func instants() {
        let world = World(seed: 1)
        world.advance(by: .milliseconds(1_500))
        let now = world.clock.now
        let later = now.advanced(by: .seconds(2))
        #expect(now.offset == .milliseconds(1_500) && later.offset == .milliseconds(3_500))
        #expect(now.duration(to: later) == .seconds(2) && later.duration(to: now) == .seconds(-2))
        #expect(now < later && !(later < now) && !(now < now))
        #expect(world.clock.minimumResolution == .nanoseconds(1))
        #expect(WorldTime.virtual.factor == nil && WorldTime.real.factor == 1)
        #expect(WorldTime.real(timesFaster: 0.5).factor == 0.5 && WorldTime.virtual.makeClock == nil)
    }

    @Test("The background modes of an app are bits of their own")
    func modes() {
        #expect(BackgroundModes.central.rawValue == 1 && BackgroundModes.peripheral.rawValue == 2)
        #expect(BackgroundModes([.central, .peripheral]).rawValue == 3 && BackgroundModes().rawValue == 0)
    }

    @Test("An advertisement that is heard again is no line; whatever is sent, and all else that is heard, is one")
    func recorder() {
        let report: [UInt8] = [
            0x04, 0x3E, 0x0F, 0x02, 0x01, 0x00, 0x01, 1, 2, 3, 4, 5, 0xC6, 0x03, 0x02, 0x01, 0x06, 0xC8,
        ]
        let reset: [UInt8] = [0x01, 0x03, 0x0C, 0x00]
        for (octets, direction, isLine) in [
            (report, .received, [true, false, false]), (report, .sent, [true, true, true]),
            (reset, .sent, [true, true, true]), (reset, .received, [true, true, true]),
        ] as [([UInt8], TraceEntry.Direction, [Bool])] {
            let recorder = Recorder()
            let device = recorder.add("phone")
            let lines = (0..<3).map { number in
                recorder.record(
                    HCIPacket(h4: ByteBuffer(bytes: octets)),
                    direction,
                    device: device,
                    at: .uptimeNanoseconds(UInt64(number))
                )
            }
            #expect(lines == isLine, "\(direction) \(octets.count)")
            #expect(recorder.trace(of: "phone").includingHCI.count == isLine.count { $0 })
        }
    }

    // MARK: Devices

    @Test("A peripheral has the name that it is given, else the one that it advertises, else a number")
    func deviceNames() {
        let world = World(seed: 1)
        let first = world.addPeripheral(ScriptedPeripheral())
        let named = world.addPeripheral(ScriptedPeripheral(name: "Thermo"))
        let other = world.addPeripheral(ScriptedPeripheral(name: "Thermo"), as: "other")
        let last = world.addPeripheral(ScriptedPeripheral())
        #expect([first, named, other, last].map(\.name) == ["peripheral 1", "Thermo", "other", "peripheral 4"])
        #expect(world["Thermo"] === named && world["other"] === other && world["none"] == nil)
        named.position = Position(x: 3, y: 4)
        named.position = nil
        #expect(named.position == nil && named.distance == 1)
        #expect(named.trace.map(\.text).suffix(2) == ["moves to \(Position(x: 3, y: 4))", "moves to 1 m"])
    }

    @Test("What cannot be of a device ends the test, and says what")
    func preconditions() async {
        func text(_ result: ExitTest.Result?) -> String {
            String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        }
        let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = World()
            _ = [world.addDevice("phone"), world.addDevice("phone")]
        }
        #expect(text(twice).contains("The world has a device \"phone\" already"))
        let places = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = World().addDevice("phone", distance: 1, position: Position(x: 0, y: 0))
        }
        #expect(text(places).contains("Give a device a distance or a position, not both"))
        let itself = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let world = World()
            let phone = world.addDevice("phone")
            world.setAttenuation(10, between: phone, and: phone)
        }
        #expect(text(itself).contains("A device is not apart from itself"))
        let time = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = WorldTime.real(timesFaster: 0)
        }
        #expect(text(time).contains("give a factor above zero"))
    }

    @Test("Each watch of the trace does its work once, behind the packet, where its own condition is true")
    func watches() throws {
        let world = World(seed: 1)
        world.addPeripheral(.thermometer())
        var fired: [String] = []
        world.when({ $0.device == "phone" && $0.text.hasPrefix("Read Request") }, do: { fired.append("first") })
        world.when({ $0.text.hasPrefix("Read Request") }, do: { fired.append("second") })
        world.when({ $0.text == "never" }, do: { fired.append("never") })
        let reader = world.addDevice("phone").run { Reader() }
        reader.subscribes = false
        try world.run(until: reader.values.count == 1)
        #expect(fired == ["first", "second"])
        reader.peripheral?.readValue(for: try #require(reader.characteristic))
        try world.run(until: reader.values.count == 2)
        #expect(fired.count == 2)
    }

    @Test("Links that end with a line of a device's trace do not end with the same line of another device")
    func dropsWithItsOwnLine() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        thermo.dropLinks(when: { $0.text.hasPrefix("Read Request") })
        let reader = world.addDevice("phone").run { Reader() }
        try world.run(until: reader.calls.contains("disconnected 6"))
        let lines = thermo.trace.map(\.text)
        let request = try #require(lines.firstIndex { $0.hasPrefix("Read Request") })
        let loss = try #require(lines.firstIndex(of: "its links are lost"))
        #expect(request < loss)
    }

    @Test("A device that refuses connections does so after it was off and on; one that does not advertise stays silent")
    func staysAsItWas() throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        thermo.refusesConnections = true
        thermo.isAdvertising = false
        thermo.isPowered = false
        thermo.isPowered = true
        let reader = world.addDevice("phone").run { Reader() }
        world.advance(by: .seconds(5))
        #expect(reader.peripheral == nil)
        thermo.isAdvertising = true
        try world.run(until: reader.calls.contains("failed 10"))
        #expect(thermo.refusesConnections && !reader.calls.contains("connected"))
    }

    @Test("A device that does not respond takes no request and no command, confirms, and sends data of channels")
    func unresponsive() throws {
        let world = World(seed: 31)
        let device = world.addPeripheral(
            ScriptedPeripheral(
                name: "Thing",
                services: [
                    .init(
                        "FFF0",
                        characteristics: [
                            .init("FFF1", properties: [.read, .writeWithoutResponse]),
                            .init("FFF2", properties: .indicate),
                        ]
                    )
                ],
                channels: [.init(psm: 0x80)]
            )
        )
        let phone = world.addDevice("phone").run { Explorer() }
        try world.run(until: device.hasSubscriber(for: CBUUID(string: "FFF2")))
        phone.peripheral?.openL2CAPChannel(0x80)
        try world.run(until: phone.channels.count == 1)
        let channel = try #require(phone.channels.first)
        channel.inputStream?.open()
        channel.outputStream?.open()
        world.advance(by: .seconds(1))
        device.isUnresponsive = true
        device.isUnresponsive = true
        let characteristic = try #require(phone.characteristic("FFF1"))
        phone.peripheral?.writeValue(Data([1]), for: characteristic, type: .withoutResponse)
        for value in [5, 6] as [UInt8] { device.notify(Data([value]), for: "FFF2") }
        let octets: [UInt8] = [7, 8, 9]
        #expect(channel.outputStream?.write(octets, maxLength: 3) == 3)
        world.advance(by: .seconds(3))
        #expect(device.writes.isEmpty && phone.notified == ["FFF2 [5]", "FFF2 [6]"])
        #expect(device.channels.map(\.received) == [Data([7, 8, 9])])
        device.isUnresponsive = false
        phone.peripheral?.writeValue(Data([2]), for: characteristic, type: .withoutResponse)
        world.advance(by: .seconds(1))
        #expect(device.writes.map(\.value) == [Data([2])])
        let notes = world.trace.of("Thing", .world).map(\.text).filter { $0.contains("respon") }
        #expect(notes == ["stops responding", "responds again"])
    }

    @Test("Whether the code of a device may use Bluetooth is the user's to say, and stands in the trace")
    func authorization() throws {
        let world = World(seed: 1)
        let phone = world.addDevice("phone")
        let reader = phone.run { Reader() }
        try world.run(until: reader.central.state == .poweredOn)
        #expect(phone.authorization == .allowedAlways)
        phone.authorization = .denied
        try world.run(until: reader.central.state == .unauthorized)
        #expect(phone.authorization == .denied)
        phone.authorization = .allowedAlways
        try world.run(until: reader.central.state == .poweredOn)
        let notes = phone.trace.of("phone", .world).map(\.text)
        #expect(notes == ["its code may not use Bluetooth", "its code may use Bluetooth"])
    }

    // MARK: Apps

    /// Sees the lines of the trace.
    private final class Lines: WorldObserver {
        var seen: ((TraceEntry) -> Void)?

        func traced(_ entry: TraceEntry) { self.seen?(entry) }
        func called(_ call: String, on device: String, at time: Duration) {}
        func callsDelegate(_ callback: String, on device: String, at time: Duration) {}
    }

    @Test(
        "An app that the user opens or ends before the system has launched it is not launched once more",
        arguments: [true, false]
    )
    func launchedTooLate(isOpened: Bool) throws {
        let world = World(seed: 1)
        let thermo = world.addPeripheral(.thermometer())
        let app = world.addDevice("phone").install("key", backgroundModes: .central) { Key() }
        app.launch()
        try world.run(until: app.instance?.calls.contains("notifying") == true)
        app.terminate()
        let lines = Lines()
        world.observer = lines
        lines.seen = { entry in
            guard entry.text == "app key is launched by the system" else { return }
            lines.seen = nil
            world.after(.zero) {
                guard isOpened else { return app.forceQuit() }
                app.launch()
            }
        }
        thermo.notify(Data([7]), for: Reader.measurement)
        world.advance(by: .seconds(1))
        #expect(lines.seen == nil, "the system was about to launch it")
        #expect(app.launches == (isOpened ? [.byUser, .byUser] : [.byUser]))
        #expect(app.state == (isOpened ? .foreground : .notRunning) && (app.instance != nil) == isOpened)
        world.observer = nil
    }
}
