import Fixtures
import Testing

@testable import BlueEar

@Suite("The run loop of the messenger")
struct BlueEarSchedulerTests {
    @Test("runs work that is not kept, and skips work that is cancelled")
    @MainActor
    func cancels() async {
        let scheduler = RunLoopScheduler()
        var done: [Int] = []
        let work = scheduler.schedule(after: 0) { done.append(1) }
        work.cancel()
        await withCheckedContinuation { continuation in
            _ = scheduler.schedule(after: 0.01) {
                done.append(2)
                continuation.resume()
            }
        }
        #expect(done == [2])
    }

    @Test("releases work that is done or cancelled", arguments: [false, true])
    @MainActor
    func releases(isCancelled: Bool) async {
        let scheduler = RunLoopScheduler()
        let (isReleased, isDone) = await releaseOfWork { body in
            let work = scheduler.schedule(after: isCancelled ? 3600 : 0, body)
            if isCancelled { work.cancel() }
        }
        #expect(isReleased)
        #expect(isDone == !isCancelled)
    }
}
