// The timer of the screen, which is one of the main run loop.

import ClientSamples
import CoreBluetoothProcessTime
import CoreBluetoothTesting
import Testing

@Suite("Reachability in the mesh messenger")
struct MeshReachabilityTests {
    @Test("refreshes the screen every ten seconds by the app's Timer")
    func refreshes() async {
        await #expect(processExitsWith: .success) {
            try await MainActor.run {
                let network = MeshNetwork()
                network.addLine(1)
                var count = 0
                network.phones[0].model.didChange = { count += 1 }
                network.world.advance(by: .seconds(95))
                try network.world.run(until: true)
                #expect(count >= 9)
            }
        }
    }
}
