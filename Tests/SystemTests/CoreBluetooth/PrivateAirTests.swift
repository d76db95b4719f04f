// Devices of private airs, each on a thread of its own.

import BluetoothAir
import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("Private airs")
struct PrivateAirTests {
    /// The address that an adapter's host is given.
    private func address(_ adapter: BluetoothAdapter) async -> DeviceAddress? {
        await withCheckedContinuation { continuation in
            adapter.withCore { core in continuation.resume(returning: core?.host.configuration.address) }
        }
    }

    /// The addresses of some adapters without an identity on an air.
    private func addresses(_ air: PrivateAir, _ count: Int = 3) async -> [DeviceAddress?] {
        var found: [DeviceAddress?] = []
        for _ in 0..<count { found.append(await self.address(air.makeAdapter())) }
        return found
    }

    @Test("give equal addresses for equal seeds, other addresses for others, and each device one of its own")
    func seeds() async {
        let first = await self.addresses(PrivateAir(seed: 7))
        let again = await self.addresses(PrivateAir(seed: 7))
        let other = await self.addresses(PrivateAir(seed: 8))
        #expect(first == again && first != other)
        #expect(Set(first + other).count == 6)
        #expect((first + other).allSatisfy { $0?.randomKind == .static })
        let byDefault = await self.addresses(PrivateAir())
        let one = await self.addresses(PrivateAir(seed: 1))
        #expect(byDefault == one)
    }

    @Test("give a device with an identity its address, which is none of the air's")
    func identities() async {
        let configuration = BluetoothAdapter.Configuration(identity: "Crystal")
        let air = PrivateAir(seed: 7)
        let named = air.makeAdapter(configuration: configuration)
        let address = await self.address(named)
        #expect(address == configuration.addressOnAir && named.usesQueues)
        let others = await self.addresses(air)
        let expected = await self.addresses(PrivateAir(seed: 7))
        #expect(others == expected && !others.contains(address))
    }

    /// The states of a manager, as they are reported.
    private final class StateRecorder: NSObject, CBCentralManagerDelegate {
        let queue = DispatchQueue(label: "states")
        let states: AsyncStream<CBManagerState>
        private let continuation: AsyncStream<CBManagerState>.Continuation

        override init() {
            (self.states, self.continuation) = AsyncStream.makeStream()
            super.init()
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) { self.continuation.yield(central.state) }
    }

    @Test("are the default in asynchronous code inside of run, and report on queues, also after a delay")
    func asynchronous() async {
        for delay in [Duration.zero, .milliseconds(50)] {
            var configuration = BluetoothAdapter.Configuration()
            configuration.callbackDelay = delay
            let adapter = PrivateAir().makeAdapter(configuration: configuration)
            let app = StateRecorder()
            let manager = await adapter.run {
                await Task.yield()
                #expect(BluetoothAdapter.default === adapter)
                return CBCentralManager(delegate: app, queue: app.queue)
            }
            #expect(manager.adapter === adapter)
            for await state in app.states where state == .poweredOn { break }
        }
    }
}
