// The code of the article "Many devices", which is CoreBluetoothTesting.docc/ManyDevices.md: a test compares the two.

import CoreBluetoothTesting
import Testing

final class Neighbour: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate {
    private let service = CBUUID(string: "FEED")
    let name: String
    private(set) var heard: [String] = []
    private var central: CBCentralManager!
    private var peripheral: CBPeripheralManager!

    init(name: String) {
        self.name = name
        super.init()
        self.central = CBCentralManager(delegate: self, queue: nil)
        self.peripheral = CBPeripheralManager(delegate: self, queue: nil)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [self.service]) }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataServiceUUIDsKey: [self.service], CBAdvertisementDataLocalNameKey: self.name,
        ])
    }

    func centralManager(
        _ central: CBCentralManager,
        didDiscover peripheral: CBPeripheral,
        advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        if let name = peripheral.name, !self.heard.contains(name) { self.heard.append(name) }
    }
}

extension World {
    func addNeighbour(_ name: String, x: Double, y: Double) -> Neighbour {
        self.addDevice(name, position: Position(x: x, y: y)).run { Neighbour(name: name) }
    }
}

@Test func hearsThoseWhoAreNear() throws {
    let world = World(seed: 1)
    let neighbours = (0..<48).map { number in
        world.addNeighbour("n\(number)", x: Double(number % 8) * 120, y: Double(number / 8) * 120)
    }
    world.advance(by: .seconds(2))
    for neighbour in neighbours {
        let place = try #require(world[neighbour.name]?.position)
        let near = neighbours.filter { other in
            guard other !== neighbour, let there = world[other.name]?.position else { return false }
            return place.distance(to: there).metres <= 334
        }
        #expect(Set(neighbour.heard) == Set(near.map(\.name)))
    }
}

@Test func staysInItsHall() throws {
    let world = World(seed: 1)
    world.walls = [Wall(from: Position(x: 50, y: 0), to: Position(x: 50, y: 100), attenuation: 15)]
    let lecturer = world.addNeighbour("lecturer", x: 10, y: 50)
    let student = world.addNeighbour("student", x: 45, y: 50)
    let other = world.addNeighbour("other hall", x: 80, y: 50)
    world.advance(by: .seconds(2))
    #expect(lecturer.heard == ["student"])
    #expect(Set(student.heard) == ["lecturer", "other hall"])
    #expect(other.heard == ["student"])
    world.walls = []
    try world.run(until: lecturer.heard.contains("other hall"))
}

@Test func leavesTheTinAtLast() throws {
    let world = World(seed: 1)
    let phone = world.addNeighbour("phone", x: 0, y: 0)
    let key = world.addNeighbour("key", x: 1, y: 0)
    world.setAttenuation(.infinite, between: try #require(world["phone"]), and: try #require(world["key"]))
    world.advance(by: .seconds(10))
    #expect(phone.heard.isEmpty && key.heard.isEmpty)
    world.setAttenuation(0, between: try #require(world["phone"]), and: try #require(world["key"]))
    try world.run(until: phone.heard == ["key"] && key.heard == ["phone"])
}

@Test func meetsThemOnItsWay() throws {
    let world = World(seed: 1, traceLimit: 10_000)
    let gates = (0..<4).map { world.addNeighbour("gate \($0)", x: Double($0) * 1_000, y: 0) }
    let visitor = world.addNeighbour("visitor", x: -500, y: 20)
    world["visitor"]?.move(to: Position(x: 3_500, y: 20), over: .seconds(2_800))
    world.advance(by: .seconds(1_400))
    #expect(world["visitor"]?.position == Position(x: 1_500, y: 20))
    #expect(visitor.heard == ["gate 0", "gate 1"])
    try world.run(until: world["visitor"]?.isMoving == false, within: .seconds(1_500))
    #expect(visitor.heard == ["gate 0", "gate 1", "gate 2", "gate 3"])
    #expect(gates.allSatisfy { $0.heard == ["visitor"] })

    let meeting = world.trace.of(["visitor", "gate 2"]).during(.seconds(1_500)...)
    #expect(meeting.of("visitor", .gap).contains("Advertisement of gate 2"))
    #expect(!meeting.contains("gate 1"))
    #expect(meeting.diagram(title: "The visitor passes gate 2").svg.hasPrefix("<svg"))
}
