// The controller's resolving list where no entry is wanted any more while new addresses are asked for.

import BluetoothHCI
import BluetoothTypes
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("Resolving list: emptied while its addresses are renewed")
struct ResolvingListEmptiedTests {
    private static let entry = ResolvingList.Entry(
        peer: DeviceAddress(0xC000_0000_0001, kind: .random),
        peerKey: Octets16(high: 1, low: 1),
        localKey: Octets16(high: 2, low: 2),
        mode: .device
    )

    /// Answers every step with success until none is due.
    private func steps(_ list: inout ResolvingList) -> [ResolvingList.Step] {
        var steps: [ResolvingList.Step] = []
        while steps.count < 20, let step = list.next() {
            steps.append(step)
            list.completed(.success)
        }
        return steps
    }

    @Test("A list whose entries are not known is cleared and disabled where none is wanted any more")
    func emptied() {
        var list = ResolvingList()
        list.capacity = 8
        list.want([Self.entry], timeout: nil)
        _ = self.steps(&list)
        #expect(list.isResolving && !list.isDue)
        list.renewAddresses()
        list.want([], timeout: nil)
        #expect(list.isDue)
        #expect(self.steps(&list) == [.clear, .enable(false)])
        #expect(!list.isResolving && !list.isDue)
    }
}
