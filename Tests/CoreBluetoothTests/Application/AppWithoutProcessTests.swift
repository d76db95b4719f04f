// A manager that is made when the process of its app has ended: nobody is there whom it could tell anything.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

@Suite("A manager of an app without a process")
struct AppWithoutProcessTests {
    @Test("1.1 it hears nothing, neither before the app is launched again nor then", arguments: [true, false])
    func made(hasProcess: Bool) {
        let testbed = Testbed()
        let policy = PolicyStub("app")
        if !hasProcess { policy.process = nil }
        let adapter = testbed.adapter("One")
        let app = policy.make(in: testbed) { CentralApp(on: adapter) }
        testbed.run()
        #expect(app.calls == (hasProcess ? ["state 5"] : []))
        #expect(app.manager.state == (hasProcess ? .poweredOn : .unknown))
        // The next process is another one.
        policy.process = 2
        adapter.setPowered(false)
        testbed.run()
        #expect(app.calls == (hasProcess ? ["state 5"] : []))
    }
}
