import Foundation
import Testbed
import Testing

@testable import ITCB

@Suite("Observers of the SDK")
struct ITCB_SDKTests {
    private final class ObjectObserver: ITCB_Observer_Protocol {
        var uuid = UUID()
        var errors = 0
        func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) { errors += 1 }
    }

    private struct ValueObserver: ITCB_Observer_Protocol {
        var uuid = UUID()
        func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {}
    }

    @Test("An object is given its identity when it is added, and is added once")
    func object() {
        let sdk = ITCB_SDK()
        let observer = ObjectObserver()
        let before = observer.uuid
        #expect(!sdk.isObserving(observer))
        let uuid: UUID? = sdk.addObserver(observer)
        #expect(uuid == observer.uuid)
        #expect(uuid != before)
        #expect(sdk.isObserving(observer))
        let again: UUID? = sdk.addObserver(observer)
        #expect(again == nil)
        #expect(sdk.observers.count == 1)
        let other = ObjectObserver()
        sdk.addObserver(other)
        sdk.removeObserver(other)
        #expect(sdk.isObserving(observer) && !sdk.isObserving(other))
        sdk.removeObserver(observer)
        #expect(sdk.observers.isEmpty)
        #expect(!sdk.isObserving(observer))
    }

    @Test("A value is known by the identity that its stored copy was given")
    func value() {
        let sdk = ITCB_SDK()
        var observer = ValueObserver()
        let uuid: UUID? = sdk.addObserver(observer)
        #expect(uuid != nil)
        #expect(!sdk.isObserving(observer))
        observer.uuid = uuid ?? observer.uuid
        #expect(sdk.isObserving(observer))
        let again: UUID? = sdk.addObserver(observer)
        #expect(again == nil)
        sdk.removeObserver(observer)
        #expect(sdk.observers.isEmpty)
    }

    @Test("An error is kept and reported to all observers, once")
    func errors() {
        let sdk = ITCB_SDK()
        let observers = (0..<3).map { _ in ObjectObserver() }
        observers.forEach { sdk.addObserver($0) }
        #expect(sdk.error == nil)
        sdk._sendErrorMessageToAllObservers(error: .unknown(nil))
        #expect(observers.map(\.errors) == [1, 1, 1])
        #expect(sdk.error?.localizedDescription == "ITCB-SDK-ERROR-UNKNOWN")
    }

    @Test("An observer may be removed while it is being called")
    func leaving() {
        final class Leaver: ITCB_Observer_Protocol {
            var uuid = UUID()
            var errors = 0
            func errorOccurred(_ error: ITCB_Errors, sdk: any ITCB_SDK_Protocol) {
                errors += 1
                sdk.removeObserver(self)
            }
        }
        let sdk = ITCB_SDK()
        let observers = (0..<3).map { _ in Leaver() }
        observers.forEach { sdk.addObserver($0) }
        sdk._sendErrorMessageToAllObservers(error: .coreBluetooth(nil))
        sdk._sendErrorMessageToAllObservers(error: .coreBluetooth(nil))
        #expect(observers.map(\.errors) == [1, 1, 1])
        #expect(sdk.observers.isEmpty)
    }

    @Test("A fresh SDK has a name, no error and no observers")
    func fresh() {
        let sdk = ITCB_SDK()
        #expect(sdk.localName == "ERROR")
        #expect(sdk.error == nil)
        #expect(sdk.observers.isEmpty)
        #expect(!sdk.isCoreBluetoothPoweredOn)
    }

    @Test("Work that is cancelled is not done, and work that nobody keeps is")
    @MainActor
    func scheduler() async {
        let scheduler = _ITCB_SDK_RunLoopScheduler()
        var done: [Int] = []
        let work = scheduler.schedule(after: 0.01) { done.append(1) }
        work.cancel()
        await withCheckedContinuation { continuation in
            _ = scheduler.schedule(after: 0.05) {
                done.append(2)
                continuation.resume()
            }
        }
        #expect(done == [2])
    }
}
