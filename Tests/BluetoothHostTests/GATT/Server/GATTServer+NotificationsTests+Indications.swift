// Indications: one at a time, their queue, and their time limit.

import Testing

@testable import BluetoothHost

extension GATTServerNotificationsTests {
    private static let scripts = TitledScript.all(
        """
        ## GATT/SR/GAI/BV-01-C Characteristic Value Indication
        notify 001A 01 ? dropped 1
        > 12 1B 00 02 00 < 13 ? subscribed 001A
        notify 001A 01 < 1D 1A 00 01
        notify 001A AA*30                     # one at a time
        > 1E 00                               # no confirmation
        > 1E ? confirmed 001A < 1D 1A 00 AA*20
        > 1E ? confirmed 001A
        > 1E                                  # nothing waits for it

        ## serves requests and commands while it awaits a confirmation
        subscribe 001A
        notify 001A 01 < 1D 1A 00 01
        > 0A 10 00 < 0B 01 02 03
        > 52 15 00 01 ? command 0015 01
        > 0A 13 00 ? read 0013 @0
        > 1E ? confirmed 001A                 # a confirmation may come before the answer to a request
        = 05 < 0B 05

        ## drops queued indications that the link is too insecure for
        security encrypted 16
        subscribe 002A 2
        subscribe 001A
        notify 001A 01 < 1D 1A 00 01
        notify 002A 02
        notify 002A 03
        notify 001A 04
        notify 002A 05
        security none 0
        > 1E ? confirmed 001A ? dropped 1 ? dropped 1 < 1D 1A 00 04
        > 1E ? confirmed 001A ? dropped 1
        > 1E

        ## drops the indications of a subscription that ends, and no others, and counts them for each owner in turn
        security encrypted 16
        subscribe 002A 2
        subscribe 001A
        notify 001A 01 < 1D 1A 00 01
        owner 7
        notify 001A 02
        notify 001A 02
        owner 0
        notify 002A 03
        owner 8
        notify 001A 04
        owner 7
        notify 001A 05
        > 12 1B 00 00 00 < 13 ? dropped 2 of 7 ? dropped 1 of 8 ? dropped 1 of 7 ? unsubscribed 001A
        > 1E ? confirmed 001A < 1D 2A 00 03
        > 1E ? confirmed 002A

        ## drops the indications of a service that is removed, and no others
        add
        subscribe 0037 2
        subscribe 001A
        notify 001A 01 < 1D 1A 00 01
        notify 0037 02
        notify 001A 03
        notify 0037 04
        remove ? unsubscribed 0037 ? dropped 2
        > 1E ? confirmed 001A < 1D 1A 00 03

        ## cuts a queued indication to a new MTU
        exchange 100
        subscribe 001A
        notify 001A 01 < 1D 1A 00 01
        notify 001A AA*97
        > 02 17 00 < 03 05 02 ? mtu 23
        > 1E ? confirmed 001A < 1D 1A 00 AA*20

        ## GATT/SR/GAT/BV-01-C Handle Value Indication: client timeout
        subscribe 001A
        subscribe 0017
        notify 001A 01 < 1D 1A 00 01
        notify 001A 02
        wait 29.999
        notify 0017 01 < 1B 17 00 01
        wait 0.001 ? dropped 2 ? failed indicationTimeout
        > 1E                                  # nothing more is sent or taken on this bearer
        > 0A 10 00
        notify 0017 01 ? dropped 1
        notify 001A 03 ? dropped 1
        add
        wait 60
        close ? unsubscribed 0017 ? unsubscribed 001A

        ## gives each indication 30 s of its own
        subscribe 001A
        notify 001A 01 < 1D 1A 00 01
        notify 001A 02
        wait 20
        > 1E ? confirmed 001A < 1D 1A 00 02
        wait 29
        > 1E ? confirmed 001A
        subscribe 0008
        add < 1D 08 00 35 00 38 00
        wait 29
        > 1E
        wait 40
        """
    )

    @Test("follows the script for indications", arguments: Self.scripts)
    func indications(_ script: TitledScript) throws { try script.runOnServer() }
}
