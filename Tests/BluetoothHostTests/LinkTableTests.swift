// The table of links by a key.

import BluetoothHCI
import Fixtures
import Testing

@testable import BluetoothHost

@Suite("LinkTable")
struct LinkTableTests {
    @Test("finds the link that was set last for a key, until it is removed")
    func changes() {
        var table = LinkTable<ConnectionHandle>()
        let handles = (0..<3).map { ConnectionHandle(rawValue: UInt16($0)) }
        let links = (0..<4 as Range<UInt16>).map { HostLink.alone($0) }
        func found() -> [Int?] { handles.map { handle in links.firstIndex { $0 === table[handle] } } }
        table[handles[0]] = nil
        #expect(found() == [nil, nil, nil])
        for (handle, link) in zip(handles, links) { table[handle] = link }
        #expect(found() == [0, 1, 2])
        table[handles[1]] = links[3]
        #expect(found() == [0, 3, 2])
        table[handles[0]] = nil
        table[handles[0]] = nil
        #expect(found() == [nil, 3, 2])
        table[handles[0]] = links[0]
        #expect(found() == [0, 3, 2])
    }
}
