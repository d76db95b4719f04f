// What an air keeps of its controllers, and the values of its settings.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import NIOCore
import Testing

@testable import BluetoothAir

@Suite("Rules of an air")
struct AirRulesTests {
    @Test("The usual settings: without air time and with it, both without loss")
    func settings() {
        #expect(!AirSettings.instant.hasAirTime && AirSettings.instant.loss == 0)
        #expect(AirSettings.realistic.hasAirTime && AirSettings.realistic.loss == 0)
        #expect(Air(eventLoop: AirTestbed().loop).settings == .instant)
    }

    @Test("A probability of loss is written as its number, and may be compared")
    func probabilities() {
        #expect((0.25 as LossProbability).description == "0.25" && (1 as LossProbability).description == "1.0")
        #expect((0.25 as LossProbability) < 0.5 && !((0.5 as LossProbability) < 0.5))
        #expect((2 as LossProbability).value == 1 && (-1 as LossProbability).value == 0)
    }

    @Test("A changed loss stands in the settings of the air")
    func changedLoss() {
        let air = AirTestbed(.realistic).air
        air.setLoss(0.5)
        #expect(air.settings == AirSettings(hasAirTime: true, loss: 0.5))
    }

    @Test("An air without a seed has the seed 1")
    func seed() {
        let loop = AirTestbed().loop
        let address = Air(eventLoop: loop).makeController().address
        #expect(address == Air(eventLoop: loop, seed: 1).makeController().address)
        #expect(address != Air(eventLoop: loop, seed: 2).makeController().address)
    }

    @Test("The place of a controller that has gone is given to the next one, and its number is not")
    func places() {
        let air = AirTestbed().air
        let controllers = (0..<3).map { _ in air.makeController() }
        #expect(air.controllers.map(\.slot) == [0, 1, 2] && air.controllers.map(\.index) == [0, 1, 2])
        controllers[1].close()
        #expect(air.controller(1) == nil && air.controllers.map(\.index) == [0, 2])
        let next = air.makeController()
        #expect(air.controllers.map(\.slot) == [0, 2, 1] && air.controllers.map(\.index) == [0, 2, 3])
        #expect(air.controller(1)?.publicAddress == next.address)
        let another = air.makeController()
        #expect(air.controllers.map(\.slot) == [0, 2, 1, 3])
        for controller in controllers + [next, another] { controller.close() }
        #expect(air.controllers.isEmpty && air.map.all.isEmpty)
    }

    @Test("What is between two controllers is forgotten when one has gone, and cannot be set afterwards")
    func attenuationOfClosed() {
        let air = AirTestbed().air
        let controllers = (0..<3).map { _ in air.makeController() }
        let place = AirLocation.distance(.metres(1))
        func attenuation(_ one: Int, _ other: Int) -> Attenuation {
            air.obstacles.attenuation(between: (one, place), and: (other, place))
        }
        controllers[0].setAttenuation(20, to: controllers[1])
        controllers[0].setAttenuation(30, to: controllers[2])
        #expect(attenuation(0, 1) == 20 && attenuation(0, 2) == 30)
        controllers[1].close()
        #expect(attenuation(0, 1) == 0 && attenuation(0, 2) == 30)
        controllers[0].setAttenuation(20, to: controllers[1])
        controllers[1].setAttenuation(20, to: controllers[2])
        #expect(attenuation(0, 1) == 0 && attenuation(1, 2) == 0)
        #expect(air.walls.isEmpty)
    }

    @Test("A controller that was closed answers nothing, hears nothing, and may be closed again")
    func closedTwice() {
        let testbed = AirTestbed()
        let (host, advertiser) = (testbed.host(), testbed.host())
        advertiser.advertise()
        host.scan()
        host.controller.close()
        host.controller.close()
        host.events = []
        host.send(LERand())
        host.controller.location = .position(AirPosition(x: 1, y: 1))
        testbed.pass(.seconds(1))
        #expect(host.events.isEmpty)
        #expect(testbed.air.controllers.count == 1 && testbed.air.map.all.count == 1)
    }
}
