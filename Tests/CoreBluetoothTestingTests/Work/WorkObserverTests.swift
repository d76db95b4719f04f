import Testing

@testable import CoreBluetoothTesting

@Suite("WorkObserver")
struct WorkObserverTests {
    @Test("finds the work of the world that the test made last")
    func makers() {
        let (first, second) = (WorldWork(), WorldWork())
        var found = [WorkObserver.workOfTest == nil]
        WorkObserver.add(first)
        found.append(WorkObserver.workOfTest === first)
        WorkObserver.add(second)
        found.append(WorkObserver.workOfTest === second)
        WorkObserver.remove(first)
        found.append(WorkObserver.workOfTest === second)
        WorkObserver.remove(second)
        found.append(WorkObserver.workOfTest == nil)
        WorkObserver.add(first)
        found.append(WorkObserver.workOfTest === first)
        WorkObserver.remove(first)
        found.append(WorkObserver.workOfTest == nil)
        #expect(found == [true, true, true, true, true, true, true])
        withExtendedLifetime((first, second)) {}
    }

    @Test("finds the work of a world of the same task only")
    func otherTask() async {
        let work = WorldWork()
        WorkObserver.add(work)
        var found: [Bool] = [WorkObserver.workOfTest === work]
        let areOthersFound = await Task.detached {
            let other = WorldWork()
            WorkObserver.add(other)
            let isFound = WorkObserver.workOfTest === other
            WorkObserver.remove(other)
            return isFound && WorkObserver.workOfTest == nil
        }.value
        found.append(areOthersFound)
        found.append(WorkObserver.workOfTest === work)
        WorkObserver.remove(work)
        found.append(WorkObserver.workOfTest == nil)
        #expect(found == [true, true, true, true])
        work.end()
    }

    @Test("lets no thread wait on the main queue, whatever it does")
    @MainActor
    func mainQueue() {
        let work = WorldWork()
        let callbacks = DeviceCallbacks(work, place: 0)
        #expect(!callbacks.mayBlock && !WorkOwner.first(work).run { callbacks.mayBlock })
    }
}
