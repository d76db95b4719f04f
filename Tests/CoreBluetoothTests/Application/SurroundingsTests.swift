import Foundation
import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("1.1 The adapter and the app of code that runs")
struct SurroundingsTests {
    @Test("1.1 code has the innermost adapter and its app, and outside of an adapter none")
    func current() {
        let testbed = Testbed()
        let (outer, inner) = (testbed.adapter("Outer"), testbed.adapter("Inner"))
        let policy = PolicyStub("app")
        #expect(Surroundings.current?.adapter == nil)
        // An app without an adapter is on none.
        let alone = policy.make(in: testbed) { Surroundings.current?.adapter }
        #expect(alone == nil)
        let plain = outer.run { Surroundings.current }
        #expect(plain?.adapter === outer && plain?.application?.value == nil)
        let nested = outer.run { inner.run { Surroundings.current } }
        #expect(nested?.adapter === inner)
        let app = policy.make(in: testbed) { outer.run { Surroundings.current } }
        #expect(app?.adapter === outer && app?.application?.value === policy)
    }

    @Test("1.1 work in the surroundings of an app makes managers of that app on its adapter")
    func run() {
        let testbed = Testbed()
        let (adapter, other) = (testbed.adapter("One"), testbed.adapter("Two"))
        let policy = PolicyStub("app")
        policy.authorization = .denied
        let application = NIOLoopBound<any ApplicationPolicy>(policy, eventLoop: testbed.loop)
        for isApp in [true, false] {
            let surroundings = Surroundings(adapter: adapter, application: isApp ? application : nil)
            let (manager, authorization) = other.run {
                surroundings.run { (CBCentralManager(), CBManager.authorization) }
            }
            #expect(manager.adapter === adapter)
            #expect(authorization == (isApp ? .denied : .allowedAlways))
            testbed.run()
            #expect(manager.state == (isApp ? .unauthorized : .poweredOn))
            // Afterwards code is where it was before.
            let after = other.run { () -> BluetoothAdapter? in
                surroundings.run {}
                return Surroundings.current?.adapter
            }
            #expect(after === other)
        }
    }

    @Test("1.1 work of an adapter without an app belongs to no app, even if an app has begun it")
    func withoutApp() {
        let testbed = Testbed()
        let adapter = testbed.adapter("One")
        let policy = PolicyStub("app")
        policy.authorization = .restricted
        let found = policy.make(in: testbed) { () -> [CBManagerAuthorization] in
            let plain = Surroundings(adapter: adapter, application: nil)
            return [CBManager.authorization, plain.run { CBManager.authorization }, CBManager.authorization]
        }
        #expect(found == [.restricted, .allowedAlways, .restricted])
    }

    @Test("tells the main queue from others")
    func mainQueue() {
        #expect(DispatchQueue.main.isMain && !DispatchQueue(label: "other").isMain && !DispatchQueue.global().isMain)
    }
}
