// Values of the link layer and of the air that hold where a host or a test says nothing, and those at an edge.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Values of the link layer")
struct LinkLayerValuesTests {
    @Test("A scan whose parameters no host has set is passive, on LE 1M, all the time, for all devices (7.8.10)")
    func scanParameters() {
        let parameters = ScanParameters()
        #expect(parameters.le1M?.isActive == false && parameters.leCoded == nil)
        #expect(parameters.le1M?.plan.interval == .milliseconds(10))
        #expect(parameters.le1M?.plan.window == .milliseconds(10))
        #expect(parameters.ownAddressType == .public && parameters.filterPolicy == .all && !parameters.usesAcceptList)
    }

    @Test("Lengths of data: what every controller can do, and the most that there is (Vol 6, Part B, 4.5.10)")
    func lengths() {
        #expect(DataLength.initial == DataLength(octets: 27, time: 328))
        #expect(DataLength.maximum == DataLength(octets: 251, time: 17_040))
        let pair = ControllerPair()
        let end = pair.end(.central)
        #expect(end.transmitLimit == 27 && end.authenticatedPayloadTimeout.timeAmount == .seconds(30))
        #expect(end.preferredLength == .initial)
        #expect(end.transmitLength == .initial && end.receiveLength == .initial)
    }

    @Test("An attenuation of minus zero is zero")
    func minusZero() {
        #expect(Attenuation.decibels(-0.0).description == "0.0 dB")
        #expect(Attenuation.decibels(-0.5).description == "0.0 dB")
    }

    @Test("Who is exactly as far away as a signal of 0 dBm is looked for belongs to those who may hear it")
    func edgeOfRange() {
        var map = AirMap()
        for (slot, x) in [AirMap.cellSize, -AirMap.cellSize, AirMap.cellSize.nextUp].enumerated() {
            map.place(slot, order: slot, at: .position(AirPosition(x: x, y: 0)), before: nil)
        }
        #expect(map.candidates(around: .position(AirPosition(x: 0, y: 0))).map(\.slot) == [0, 1])
    }

    @Test("Packets of a virtual controller stay in the process")
    func leavesProcess() {
        let testbed = AirTestbed()
        #expect(testbed.air.makeController().leavesProcess == false)
    }

    @Test("A virtual controller that is released on its loop has left its air at once")
    func released() {
        let testbed = AirTestbed()
        let other = testbed.air.makeController()
        var controller: VirtualController? = testbed.air.makeController()
        #expect(controller?.address != other.address)
        #expect(testbed.air.controllers.count == 2)
        controller = nil
        #expect(controller == nil && testbed.air.controllers.map(\.publicAddress) == [other.address])
    }
}
