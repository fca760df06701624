//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["Drop your stones on empty cells", "The first turn of the game"],
        options: &[],
        turns: "p4 k3,l4,t8",
        shows: "The first turn dropped one stone, on p4. The second dropped three, on k3, l4 and t8.",
    },
    Pictured {
        rules: &["A ring is six stones", "That cell itself may"],
        options: &[],
        turns: "p4 k3,l4,t8 m5,q5,n6,t12 j2,u7,v8,g9",
        shows: "Four stones of x are on cells around o5: p4, m5, q5 and n6. With two more, on n4 and p6, they are a ring.",
    },
    Pictured {
        rules: &[
            "If a stone that you drop makes a ring",
            "Choose one of its six stones",
            "The pivot stays.",
            "The other five stones are lifted",
            "It captures every stone",
            "The line may use cells",
        ],
        options: &[],
        turns: "p4 k3,l4,t8 m5,q5,n6,t12 j2,u7,v8,g9 n4,p6,n6-i1",
        shows: "The stone on p6 made the ring. The pivot is n6. The other five stones lie in a line from it now: m5, l4, k3, j2 and i1. It captured the stones of o on l4, k3 and j2.",
    },
    Pictured {
        rules: &[
            "The game ends when both players pass",
            "The player with more stones wins.",
            "The player with more stones on the",
        ],
        options: &[],
        turns: "f10 h8,s17,x2 m5,B10,E7,q5 r14,r6,h16,p12 q9,a9,r12,h4 y1,k15,t4,l12 s1,k9,t16,r10 \
                t14,m3,o17,j6 B8,D8,z8,p6 w1,w17,t12,y15 s13,r16,d6,y3 p2,o7,i5,o9 r4,j8,l16,m1 w13,n2,l6,e5 \
                o15,d10,f14,v6 w5,k3,A3,q3 q1,u17,C5,h12 B6,w3,o3,F10 s3,D12,l10,n12 t6,n6,c9,x16 y17,n4,B4,s11 \
                x10,C13,g15,D10 i1,q15,z10,n8 C11,w9,m13,A15 t2,y7,z12,m11 k5,i7,x6,h6 y11,v10,i11,n16 \
                B12,C7,e11,s15 pass pass",
        shows: "Both players passed, and o has 55 stones against 53. o has won.",
    },
];
