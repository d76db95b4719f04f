// The recipe "DispatchSerialQueue" of the page "Porting an app".

public import CoreBluetooth

#if !canImport(Darwin)
typealias DispatchSerialQueue = DispatchQueue

extension DispatchQueue: @retroactive SerialExecutor {
    /// Runs a job of an actor on the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// What `assumeIsolated` asks.
    public func checkIsolated() { dispatchPrecondition(condition: .onQueue(self)) }
}
#endif

actor CentralActor {
    private let queue = DispatchSerialQueue(label: "central")
    nonisolated var unownedExecutor: UnownedSerialExecutor { self.queue.asUnownedSerialExecutor() }

    /// Makes a manager that calls its delegate on the actor's queue, where `assumeIsolated` holds.
    func makeManager(delegate: any CBCentralManagerDelegate) -> CBCentralManager {
        CBCentralManager(delegate: delegate, queue: self.queue)
    }
}
