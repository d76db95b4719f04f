import BluetoothHost
import BluetoothTypes
import Testing

@testable import CoreBluetooth

@Suite("What belongs to one bond")
struct KeptBondTests {
    private static let dates = [Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2), nil]

    private func kept(_ paired: Date?, signCounter: UInt32? = 5) -> KeptBond {
        let peer = DeviceAddress(0x0011_2233_4455, kind: .public)
        return KeptBond(bond: .symmetric(with: peer, signCounter: signCounter), paired: paired)
    }

    @Test(
        "takes the counter and the privacy of the bond with the same date; a counter never goes back",
        arguments: dates
    )
    func parts(paired: Date?) {
        for said in Self.dates {
            let isOfThis = paired == said
            var kept = self.kept(paired)
            for next in [9, 3] as [UInt32] {
                BondSignCounter(paired: said, next: next).apply(to: &kept)
                #expect(kept.bond.peer.signing?.signCounter == (isOfThis ? 9 : 5))
            }
            for privacy in [PeerPrivacy(resolvesAddresses: true), PeerPrivacy(usesOnlyPrivateAddresses: true)] {
                BondPrivacy(privacy, of: self.kept(said)).apply(to: &kept)
                #expect(kept.privacy == (isOfThis ? privacy : nil))
            }
            BondSignCounter(paired: said, next: nil).apply(to: &kept)
            #expect((kept.bond.peer.signing == nil) == isOfThis)
            var unsigned = self.kept(paired, signCounter: nil)
            BondSignCounter(paired: said, next: 9).apply(to: &unsigned)
            #expect(unsigned.bond.peer.signing == nil)
        }
    }

    @Test("rounds dates down to whole seconds", arguments: [(0.0, 0.0), (0.999, 0.0), (1.0, 1.0), (-0.5, -1.0)])
    func seconds(exact: Double, whole: Double) {
        #expect(Date(timeIntervalSince1970: exact).inWholeSeconds == Date(timeIntervalSince1970: whole))
    }
}
