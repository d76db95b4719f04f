import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("1.1 The adapter and the app of code that runs")
struct WorkContextTests {
    @Test("1.1 work in a context makes managers of its adapter and app, or of no app, no matter where it began")
    func run() {
        let testbed = Testbed()
        let (adapter, other) = (testbed.adapter("One"), testbed.adapter("Two"))
        let policy = PolicyStub("app")
        policy.authorization = .denied
        let application = NIOLoopBound<any ApplicationPolicy>(policy, eventLoop: testbed.loop)
        for isApp in [true, false] {
            let context = WorkContext(adapter: adapter, application: isApp ? application : nil)
            let beginner = PolicyStub("beginner")
            beginner.authorization = .restricted
            let (manager, authorization) = beginner.make(in: testbed) {
                other.run { context.run { (CBCentralManager(), CBManager.authorization) } }
            }
            #expect(manager.adapter === adapter)
            #expect(authorization == (isApp ? .denied : .allowedAlways))
            testbed.run()
            #expect(manager.state == (isApp ? .unauthorized : .poweredOn))
            // The context is restored afterwards.
            let after = other.run { () -> BluetoothAdapter? in
                context.run {}
                return WorkContext.current?.adapter
            }
            #expect(after === other)
        }
    }

    @Test("tells the main queue from others")
    func mainQueue() {
        #expect(DispatchQueue.main.isMain && !DispatchQueue(label: "other").isMain && !DispatchQueue.global().isMain)
    }
}
